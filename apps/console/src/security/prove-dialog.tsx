import {
  type ProvenIdentity,
  proveWithPasskey,
  proveWithRecoveryCode,
  unlockedKeys,
} from "@platform-rpc/accounts/browser/prove-identity";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Sheet } from "../elements/sheet.js";
import { TextField } from "../elements/text-field.js";
import { useConsole } from "../session/console-context.js";

interface ProveDialogProps {
  /** What the person is about to do, such as `Add a passkey`. */
  readonly title: string;
  /** Gets the person's serialized keys, for one use. */
  readonly onProven: (keys: Uint8Array<ArrayBuffer>) => void;
  readonly onClose: () => void;
}

export function ProveDialog({ title, onProven, onClose }: ProveDialogProps) {
  const proven = (identity: ProvenIdentity) => onProven(unlockedKeys(identity));
  return (
    <Sheet title={title} onClose={onClose}>
      <p>Confirm that it is you. This needs your keys, which only a passkey or your recovery code unlocks.</p>
      <IdentityProof onProven={proven} onCancel={onClose} />
    </Sheet>
  );
}

interface IdentityProofProps {
  /** If it throws or rejects, the message is shown, and the person can try again. */
  readonly onProven: (identity: ProvenIdentity) => void | Promise<void>;
  readonly onCancel: () => void;
}

/** The form of the dialog, for sheets that explain in other words what it is for. */
export function IdentityProof({ onProven, onCancel }: IdentityProofProps) {
  const { principalId } = useConsole().session;
  const check = async (proving: Promise<ProvenIdentity>) => {
    const identity = await proving;
    if (identity.accountId !== principalId) throw new Error("This belongs to another account. Use yours.");
    await onProven(identity);
  };
  return (
    <ProofForm
      passkeyWords="Use a passkey"
      withPasskey={() => check(proveWithPasskey(true))}
      withCode={(typed) => check(proveWithRecoveryCode(typed, true))}
      otherWords="Cancel"
      onOther={onCancel}
    />
  );
}

interface ProofFormProps {
  readonly passkeyWords: string;
  readonly withPasskey: () => Promise<void>;
  readonly withCode: (typed: string) => Promise<void>;
  readonly otherWords: string;
  readonly onOther: () => void;
}

/** Uses a passkey, or the recovery code. If that fails, it says why, and the person can try again. */
export function ProofForm({ passkeyWords, withPasskey, withCode, otherWords, onOther }: ProofFormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const [typing, setTyping] = useState(false);
  const [typed, setTyped] = useState("");

  const prove = async (how: () => Promise<void>) => {
    setBusy(true);
    setError("");
    try {
      await how();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : "The page failed. Reload it, and try again.");
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void prove(() => withCode(typed));
  };
  return (
    <>
      <p className="error" role="alert">
        {error}
      </p>
      <div className="actions">
        <Button className="quiet" onPress={onOther}>
          {otherWords}
        </Button>
        <Button className="primary" isDisabled={busy} onPress={() => void prove(withPasskey)}>
          {passkeyWords}
        </Button>
      </div>
      {typing ? (
        <form onSubmit={submit}>
          <TextField id="prove-code" label="Recovery code" code maxLength={64} value={typed} onChange={setTyped} />
          <div className="actions">
            <Button type="submit" isDisabled={busy}>
              Use the recovery code
            </Button>
          </div>
        </form>
      ) : (
        <div className="actions">
          <Button className="quiet" onPress={() => setTyping(true)}>
            Use your recovery code instead
          </Button>
        </div>
      )}
    </>
  );
}
