import { type FormEvent, useState } from "react";
import { Moment } from "../parts/moment.js";
import type { ListedPasskey } from "./access.js";
import { EndButton, type SectionProps } from "./end-button.js";

interface PasskeysProps extends SectionProps {
  readonly passkeys: readonly ListedPasskey[];
  readonly onRename: (id: string, name: string) => void;
}

/** The devices that sign the person in. */
export function Passkeys({ passkeys, onRename, ...section }: PasskeysProps) {
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      {passkeys.length === 0 && <p>None. You sign in with your recovery code.</p>}
      <ul className="plain entries">
        {passkeys.map((passkey) => (
          <li key={passkey.id}>
            <div>
              <h3>{passkey.name}</h3>
              <p className="hint">
                {passkey.unlocksItems
                  ? "Signs you in and unlocks your items."
                  : "Signs you in, but cannot unlock items."}{" "}
                {passkey.synchronized ? "Synchronized between your devices." : "On one device only."} Added{" "}
                <Moment at={passkey.createdAt} />, last used <Moment at={passkey.lastUsedAt} />.
              </p>
              <Rename key={passkey.name} passkey={passkey} busy={section.busy} onRename={onRename} />
            </div>
            <EndButton
              access={{ kind: "passkey", id: passkey.id, done: `The passkey ${passkey.name} was removed.` }}
              label={`Remove the passkey ${passkey.name}`}
              {...section}
            >
              Remove
            </EndButton>
          </li>
        ))}
      </ul>
      <p>
        To add a passkey, use <a href="/account">your account</a>.
      </p>
    </section>
  );
}

interface RenameProps extends Pick<PasskeysProps, "onRename" | "busy"> {
  readonly passkey: ListedPasskey;
}

function Rename({ passkey: { id, name }, busy, onRename }: RenameProps) {
  const [wanted, setWanted] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRename(id, wanted.trim());
  };
  return (
    <details>
      <summary>Rename</summary>
      <form className="filters" onSubmit={submit}>
        <label htmlFor={`name-${id}`}>New name</label>
        <input
          id={`name-${id}`}
          type="text"
          required
          maxLength={64}
          autoComplete="off"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
        <button type="submit" disabled={busy}>
          Save
        </button>
      </form>
    </details>
  );
}
