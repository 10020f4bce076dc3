import { createPasskeyAdder, forgetUnfinishedPasskey } from "@platform-rpc/accounts/browser/new-passkey";
import { nameProblem } from "@platform-rpc/accounts/people/personal-name";
import { browserName } from "@platform-rpc/accounts/sessions/browser-name";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { Sheet } from "../elements/sheet.js";
import { TextField } from "../elements/text-field.js";
import { useConsole } from "../session/console-context.js";
import { ProveDialog } from "./prove-dialog.js";

interface AddPasskeyProps {
  /** The ids of the passkeys that the server has. */
  readonly stored: readonly string[];
  readonly onAdded: (name: string) => void;
}

export function AddPasskey({ stored, onAdded }: AddPasskeyProps) {
  const [open, setOpen] = useState(false);
  // A passkey of an earlier visit, which was reloaded before the server had stored it.
  useEffect(() => void forgetUnfinishedPasskey(stored), [stored]);
  return (
    <>
      <Button onPress={() => setOpen(true)}>Add a passkey</Button>
      {open && (
        <AddPasskeyDialog
          onAdded={(name) => {
            setOpen(false);
            onAdded(name);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface DialogProps extends Pick<AddPasskeyProps, "onAdded"> {
  readonly onClose: () => void;
}

function AddPasskeyDialog({ onAdded, onClose }: DialogProps) {
  const { principalId: accountId } = useConsole().session;
  const [name, setName] = useState(() => browserName(navigator.userAgent));
  const [problem, setProblem] = useState<string>();
  const [proving, setProving] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [adder] = useState(() => createPasskeyAdder(accountId));

  const add = async (keys?: Uint8Array<ArrayBuffer>) => {
    setProving(false);
    setBusy(true);
    setError(undefined);
    try {
      await adder.add(name, keys);
      onAdded(name.trim());
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const next = () => {
    const found = nameProblem(name);
    setProblem(found);
    if (found !== undefined) return;
    if (adder.isMade()) void add();
    else setProving(true);
  };
  if (proving) {
    return <ProveDialog title="Add a passkey" onProven={(keys) => void add(keys)} onClose={() => setProving(false)} />;
  }
  return (
    <Sheet title="Add a passkey" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          next();
        }}
      >
        <TextField
          id="new-passkey"
          label="Name of the passkey"
          hint="So that you recognize it in this list."
          error={problem}
          maxLength={64}
          value={name}
          onChange={setName}
        />
        <ErrorMessage error={error} />
        <div className="actions">
          <Button className="quiet" onPress={onClose}>
            Cancel
          </Button>
          <Button className="primary" type="submit" isDisabled={busy}>
            {busy ? "Waiting for your passkey…" : "Continue"}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
