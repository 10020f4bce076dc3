import { Suspense, useMemo, useState } from "react";
import { Moment } from "../elements/moment.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { SettingsCard } from "../elements/settings-card.js";
import { AddPasskey } from "./add-passkey.js";
import { Rename } from "./rename.js";
import { endButtonId, type SectionProps } from "./sessions.js";
import type { ListedPasskey } from "./sign-ins.js";

interface PasskeysProps extends SectionProps {
  readonly passkeys: readonly ListedPasskey[];
  readonly recoveryCode: boolean;
  readonly onAdded: (name: string) => void;
}

const RemovePasskey = lazyPart(async () => (await import("./remove-passkey.js")).RemovePasskey);

export function Passkeys({ passkeys, recoveryCode, onAdded, ...section }: PasskeysProps) {
  const [removing, setRemoving] = useState<ListedPasskey>();
  const ids = useMemo(() => passkeys.map(({ id }) => id), [passkeys]);
  const closeQuestion = () => setRemoving(undefined);
  const remove = ({ id, name }: ListedPasskey) => {
    closeQuestion();
    section.onEnd({ kind: "passkey", id, done: `The passkey ${name} was removed.` });
  };
  return (
    <SettingsCard id="passkeys" icon="login" title="Passkeys">
      <p>
        {passkeys.length === 0
          ? "You have none. You sign in with your recovery code."
          : "The screen lock of your device signs you in and unlocks your items."}
      </p>
      <ul className="entries">
        {passkeys.map((passkey) => (
          <li key={passkey.id}>
            <div>
              <h3>{passkey.name}</h3>
              <p className="hint">
                {!passkey.unlocksItems && "Signs you in, but cannot unlock items. "}
                {passkey.synchronized ? "Synchronized between your devices." : "On one device only."} Added{" "}
                <Moment at={passkey.createdAt} />, last used <Moment at={passkey.lastUsedAt} />.
              </p>
              <Rename key={passkey.name} {...passkey} {...section.renaming("passkey", passkey.id)} />
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
    </SettingsCard>
  );
}
