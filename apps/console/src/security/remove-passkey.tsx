import { Button } from "react-aria-components/Button";
import { Sheet } from "../elements/sheet.js";
import type { ListedPasskey } from "./sign-ins.js";

interface RemovePasskeyProps {
  readonly passkey: ListedPasskey;
  /** The other passkeys of the person. */
  readonly left: readonly ListedPasskey[];
  /** Whether the person has stored a recovery code. */
  readonly recoveryCode: boolean;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

export function RemovePasskey({ passkey, left, recoveryCode, onRemove, onClose }: RemovePasskeyProps) {
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
