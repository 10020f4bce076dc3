import { isVisible } from "@platform-rpc/items/kind-fields";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { TextField } from "../elements/text-field.js";

interface VaultNameFormProps {
  readonly name: string;
  /** What is in the field at first. Default: the name. */
  readonly proposed?: string;
  readonly action: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

export function VaultNameForm({ name, proposed = name, action, busy, error, onName, onClose }: VaultNameFormProps) {
  const [typed, setTyped] = useState(proposed);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = !isVisible(typed) ? "Enter a name." : undefined;
    setProblem(found);
    if (found === undefined) onName(typed.trim());
  };
  return (
    <form onSubmit={submit}>
      <TextField
        id="vault-name"
        label="Name of the vault"
        hint="Encrypted, like your items: the server cannot read it."
        error={problem}
        maxLength={100}
        value={typed}
        onChange={setTyped}
      />
      <ErrorMessage error={error} />
      <div className="actions">
        <Button className="quiet" onPress={onClose}>
          Cancel
        </Button>
        <Button className="primary" type="submit" isDisabled={busy || typed === name}>
          {action}
        </Button>
      </div>
    </form>
  );
}
