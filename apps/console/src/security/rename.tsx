import { type FormEvent, useId, useState } from "react";
import { TextField } from "../elements/text-field.js";

interface RenameProps {
  readonly id: string;
  readonly name: string;
  readonly busy: boolean;
  readonly onRename: (id: string, name: string) => void;
  readonly error: string | undefined;
}

export function Rename({ id, name, busy, onRename, error }: RenameProps) {
  const fieldId = useId();
  const [wanted, setWanted] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRename(id, wanted);
  };
  return (
    <details>
      <summary>Rename</summary>
      <form className="filters" onSubmit={submit}>
        <TextField id={fieldId} label="New name" error={error} maxLength={64} value={wanted} onChange={setWanted} />
        <button type="submit" data-change disabled={busy}>
          Save
        </button>
      </form>
    </details>
  );
}
