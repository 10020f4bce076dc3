import { type FormEvent, Suspense, useMemo, useState } from "react";
import { Moment } from "../elements/moment.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { TextField } from "../elements/text-field.js";
import { AddPasskey } from "./add-passkey.js";
import { endButtonId, type SectionProps } from "./sessions.js";
import type { ListedPasskey } from "./sign-ins.js";

interface PasskeysProps extends SectionProps {
  readonly passkeys: readonly ListedPasskey[];
  readonly recoveryCode: boolean;
  readonly onRename: (id: string, name: string) => void;
  readonly onAdded: (name: string) => void;
  /** The passkey whose new name was not accepted, and why. */
  readonly refusedName: { readonly id: string; readonly message: string } | undefined;
}

const RemovePasskey = lazyPart(async () => (await import("./remove-passkey.js")).RemovePasskey);

export function Passkeys({ passkeys, recoveryCode, onRename, onAdded, refusedName, ...section }: PasskeysProps) {
  const [removing, setRemoving] = useState<ListedPasskey>();
  const ids = useMemo(() => passkeys.map(({ id }) => id), [passkeys]);
  const closeQuestion = () => setRemoving(undefined);
  const remove = ({ id, name }: ListedPasskey) => {
    closeQuestion();
    section.onEnd({ kind: "passkey", id, done: `The passkey ${name} was removed.` });
  };
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      {passkeys.length === 0 && <p>None. You sign in with your recovery code.</p>}
      <ul className="card entries">
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
              <Rename
                key={passkey.name}
                passkey={passkey}
                busy={section.busy}
                onRename={onRename}
                error={refusedName?.id === passkey.id ? refusedName.message : undefined}
              />
            </div>
            <button
              type="button"
              className="danger"
              id={endButtonId(passkey.id)}
              aria-label={`Remove the passkey ${passkey.name}`}
              disabled={section.busy}
              onClick={() => setRemoving(passkey)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <PartBoundary onClose={closeQuestion}>
        <Suspense>
          {removing && (
            <RemovePasskey
              passkey={removing}
              left={passkeys.filter(({ id }) => id !== removing.id)}
              recoveryCode={recoveryCode}
              onRemove={() => remove(removing)}
              onClose={closeQuestion}
            />
          )}
        </Suspense>
      </PartBoundary>
      <div className="actions">
        <AddPasskey stored={ids} onAdded={onAdded} />
      </div>
    </section>
  );
}

interface RenameProps extends Pick<PasskeysProps, "onRename" | "busy"> {
  readonly passkey: ListedPasskey;
  readonly error: string | undefined;
}

function Rename({ passkey: { id, name }, busy, onRename, error }: RenameProps) {
  const [wanted, setWanted] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRename(id, wanted);
  };
  return (
    <details>
      <summary>Rename</summary>
      <form className="filters" onSubmit={submit}>
        <TextField
          id={`name-${id}`}
          label="New name"
          error={error}
          maxLength={64}
          autoComplete="off"
          value={wanted}
          onChange={setWanted}
        />
        <button type="submit" disabled={busy}>
          Save
        </button>
      </form>
    </details>
  );
}
