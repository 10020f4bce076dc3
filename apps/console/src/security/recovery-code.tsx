import { callApi } from "@platform-rpc/accounts/browser/api";
import {
  copyRecoveryCode,
  newRecoveryCode,
  recoveryCodeNote,
  saveRecoveryCode,
} from "@platform-rpc/accounts/browser/new-recovery-code";
import { drawQrCode } from "@platform-rpc/accounts/browser/output/qr-code";
import { lastGroupProblem } from "@platform-rpc/accounts/keys/recovery-code";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { SettingsCard } from "../elements/settings-card.js";
import { Sheet } from "../elements/sheet.js";
import { TextField } from "../elements/text-field.js";
import { useConsole } from "../session/console-context.js";
import { ProveDialog } from "./prove-dialog.js";

interface RecoveryCodeProps {
  readonly stored: boolean;
  readonly onStored: () => void;
}

export function RecoveryCode({ stored, onStored }: RecoveryCodeProps) {
  const { principalId: accountId } = useConsole().session;
  const [proving, setProving] = useState(false);
  const [printed, setPrinted] = useState<string>();
  const [error, setError] = useState<unknown>();
  const action = stored ? "Create a new recovery code" : "Create a recovery code";

  const begin = async (keys: Uint8Array<ArrayBuffer>) => {
    setProving(false);
    setError(undefined);
    try {
      const made = await newRecoveryCode(accountId, keys);
      await callApi("recovery-code/begin", { recovery: made.recovery });
      setPrinted(made.printed);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <SettingsCard id="recovery" icon="secure_note" title="Recovery code">
      <p>
        It signs you in and unlocks your items without a passkey.{" "}
        {stored ? (
          "A new one replaces it."
        ) : (
          <strong>You have not stored one yet. If you lose your passkey, you lose your items.</strong>
        )}
      </p>
      <ErrorMessage error={error} />
      <Button onPress={() => setProving(true)}>{action}</Button>
      {proving && (
        <ProveDialog title={action} onProven={(keys) => void begin(keys)} onClose={() => setProving(false)} />
      )}
      {printed !== undefined && (
        <ShownCode
          printed={printed}
          stored={stored}
          onStored={() => {
            setPrinted(undefined);
            onStored();
          }}
          onClose={() => setPrinted(undefined)}
        />
      )}
    </SettingsCard>
  );
}

interface ShownCodeProps extends Pick<RecoveryCodeProps, "stored"> {
  readonly printed: string;
  readonly onStored: () => void;
  readonly onClose: () => void;
}

/** Shows a new code until the person has stored it: then they type its last group. Closing it before first says what is lost. */
function ShownCode({ printed, stored, onStored, onClose }: ShownCodeProps) {
  const [leaving, setLeaving] = useState(false);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [copying, setCopying] = useState("Copy");
  const note = recoveryCodeNote(useConsole().session.displayName);
  const picture = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Without its script, the paper has no picture.
    if (picture.current !== null) void drawQrCode(printed, picture.current).catch(() => undefined);
  }, [printed]);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, []);

  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    const found = lastGroupProblem(printed, typed);
    setProblem(found);
    if (found !== undefined) return;
    try {
      await callApi("recovery-code/finish", {});
      onStored();
    } catch (thrown) {
      setError(thrown);
    }
  };
  if (leaving) {
    return (
      <Sheet title="Leave without this code?" onClose={() => setLeaving(false)}>
        <p>
          It will not work, even if you wrote it down.{" "}
          {stored ? "The code that you stored before still works." : "If you lose your passkey, you lose your items."}
        </p>
        <div className="actions">
          <Button className="quiet" onPress={() => setLeaving(false)}>
            Back to the code
          </Button>
          <Button className="danger" onPress={onClose}>
            Leave
          </Button>
        </div>
      </Sheet>
    );
  }
  return (
    <Sheet title="Your recovery code" onClose={() => setLeaving(true)}>
      <p>
        Keep it in a safe place. It is shown only now. Nobody can give it to you again, and anyone who has it can read
        your items.{stored && " As soon as you have stored it, the old one no longer works."}
      </p>
      <p className="shown-code" translate="no">
        {printed}
      </p>
      <p className="hint code-note">{note}</p>
      <div className="paper-code" ref={picture} />
      <div className="actions">
        <Button onPress={() => saveRecoveryCode(printed, note)}>Download</Button>
        <Button onPress={() => void copyRecoveryCode(printed, setCopying)}>{copying}</Button>
        <Button onPress={() => print()}>Print</Button>
      </div>
      <form onSubmit={(event) => void confirm(event)}>
        <TextField
          id="last-group"
          label="Last group of the code"
          hint="Type its last 4 digits and letters from where you stored it. Then the code is valid."
          error={problem}
          code
          maxLength={16}
          value={typed}
          onChange={setTyped}
        />
        <ErrorMessage error={error} />
        <div className="actions">
          <Button className="quiet" onPress={() => setLeaving(true)}>
            Not now
          </Button>
          <Button className="primary" type="submit">
            I have stored it
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
