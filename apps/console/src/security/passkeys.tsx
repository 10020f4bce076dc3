import { useMemo, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Moment } from "../elements/moment.js";
import { SettingsCard } from "../elements/settings-card.js";
import { Sheet } from "../elements/sheet.js";
import { AddPasskey } from "./add-passkey.js";
import { Rename } from "./rename.js";
import { endButtonId, type SectionProps } from "./sessions.js";
import type { ListedPasskey } from "./sign-ins.js";

interface PasskeysProps extends SectionProps {
  readonly passkeys: readonly ListedPasskey[];
  readonly recoveryCode: boolean;
  readonly onAdded: (name: string) => void;
}

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
      {removing && (
        <RemovePasskey
          passkey={removing}
          left={passkeys.filter(({ id }) => id !== removing.id)}
          recoveryCode={recoveryCode}
          onRemove={() => remove(removing)}
          onClose={closeQuestion}
        />
      )}
      <div className="actions">
        <AddPasskey stored={ids} onAdded={onAdded} />
      </div>
    </SettingsCard>
  );
}

interface RemovePasskeyProps {
  readonly passkey: ListedPasskey;
  /** The other passkeys of the person. */
  readonly left: readonly ListedPasskey[];
  readonly recoveryCode: boolean;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

function RemovePasskey({ passkey, left, recoveryCode, onRemove, onClose }: RemovePasskeyProps) {
  const canUnlock = left.some(({ unlocksItems }) => unlocksItems);
  return (
    <Sheet title="Remove this passkey?" onClose={onClose}>
      <p>
        <strong>{passkey.name}</strong> will no longer sign you in. Your device may still offer it: delete it there,
        too.
      </p>
      {!canUnlock && !recoveryCode && (
        <p className="notice">
          Nothing else unlocks your items. <a href="#recovery">Store a recovery code</a> first, or you would lose them.
        </p>
      )}
      {!canUnlock && recoveryCode && (
        <p className="notice">
          {left.length === 0
            ? "This is your last passkey. From then on, only your recovery code signs you in and unlocks your items. Remove it only if you have the code."
            : "This is your last passkey that unlocks your items. From then on, only your recovery code unlocks them."}
        </p>
      )}
      <div className="actions">
        <Button className="quiet" onPress={onClose}>
          Cancel
        </Button>
        {(canUnlock || recoveryCode) && (
          <Button className="primary danger" onPress={onRemove}>
            Remove {passkey.name}
          </Button>
        )}
      </div>
    </Sheet>
  );
}
