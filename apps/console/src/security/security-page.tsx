import "./security.css";
import { type LockAfter, lockAfter, lockChoices, setLockAfter } from "@platform-rpc/accounts/browser/lock-time";
import { useRef, useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { Link } from "../elements/link.js";
import { SettingsCard } from "../elements/settings-card.js";
import { isTooOld, SignInAgain, useFocusBack } from "../elements/sign-in-again.js";
import { useTitle } from "../elements/use-title.js";
import { AccountError } from "../session/account-error.js";
import { codeStored } from "../session/console-context.js";
import { lockNow } from "../session/session.js";
import { Passkeys } from "./passkeys.js";
import { RecoveryCode } from "./recovery-code.js";
import { endButtonId, Sessions } from "./sessions.js";
import { type EndedAccess, type Renamed, useAccess } from "./sign-ins.js";

export function SecurityPage() {
  useTitle("Security");
  const { listed, ending, renaming } = useAccess();
  const [done, setDone] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  const loaded = listed.data !== undefined;
  useFocusBack(loaded);

  // Below it, the page says what came of an action. Its button can be far from there, or gone.
  const focusHeading = () => heading.current?.focus();
  const end = (access: EndedAccess) => {
    setDone("");
    ending.mutate(access, { onSuccess: () => setDone(access.done), onSettled: focusHeading });
  };
  const said = (words: string) => {
    setDone(words);
    void listed.refetch();
  };
  const rename = (renamed: Renamed) => {
    setDone("");
    const onSuccess = () => setDone(`The ${renamed.kind} is now called ${renamed.name.trim()}.`);
    renaming.mutate(renamed, { onSuccess, onSettled: (_, error) => isRefusedName(error) || focusHeading() });
  };
  const failed = [ending, renaming].find(({ error }) => isTooOld(error));
  const busy = ending.isPending || renaming.isPending;
  const parts = {
    ...{ busy, onEnd: end },
    renaming: (kind: Renamed["kind"], of: string) => ({
      busy,
      onRename: (id: string, name: string) => rename({ kind, id, name }),
      error: isRefusedName(renaming.error) && renaming.variables?.id === of ? renaming.error.message : undefined,
    }),
  };
  return (
    <div className="settings">
      <h1 ref={heading} tabIndex={-1}>
        Security
      </h1>
      <p>
        What signs you in and unlocks your items. What acts for you is on <Link to="/agents">Agents &amp; apps</Link>.
      </p>
      <p role="status" className={done === "" ? "" : "notice good"}>
        {done}
      </p>
      <ErrorMessage
        error={
          // The others are shown elsewhere.
          [listed, ending, renaming].find(({ error }) => error !== null && !isTooOld(error) && !isRefusedName(error))
            ?.error
        }
      />
      {failed?.variables && <SignInAgain focusId={endButtonId(failed.variables.id)} />}
      {listed.data === undefined ? (
        listed.error === null && <p role="status">Loading…</p>
      ) : (
        <>
          <Passkeys
            passkeys={listed.data.passkeys}
            recoveryCode={listed.data.recoveryCode}
            onAdded={(name) => said(`The passkey ${name} was added.`)}
            {...parts}
          />
          <RecoveryCode
            stored={listed.data.recoveryCode}
            onStored={() => {
              dispatchEvent(new Event(codeStored));
              said(
                listed.data?.recoveryCode === false
                  ? "Your recovery code is valid."
                  : "Your new recovery code is valid. The old one no longer works.",
              );
            }}
          />
          <Sessions sessions={listed.data.sessions} {...parts} />
        </>
      )}
      <ThisDevice />
    </div>
  );
}

function isRefusedName(error: unknown): error is AccountError {
  return error instanceof AccountError && error.reason === "NAME_NOT_ALLOWED";
}

const words: Readonly<Record<LockAfter, string>> = {
  1: "After 1 minute without use",
  5: "After 5 minutes without use",
  15: "After 15 minutes without use",
  60: "After an hour without use",
  never: "Never: keep my keys in this browser until I sign out",
};

function ThisDevice() {
  const [after, setAfter] = useState(() => lockAfter(localStorage));
  const choose = (chosen: string) => {
    const found = lockChoices.find((choice) => choice === chosen);
    if (found === undefined) return;
    setLockAfter(localStorage, found);
    setAfter(found);
  };
  return (
    <SettingsCard id="lock" icon="lock" title="This device">
      <p>A locked browser has no key of yours: nobody who uses it can read your items. Your passkey unlocks it.</p>
      <p>
        <label htmlFor="lock-after">Lock this browser by itself</label>
      </p>
      <select id="lock-after" value={after} onChange={({ target }) => choose(target.value)}>
        {lockChoices.map((choice) => (
          <option key={choice} value={choice}>
            {words[choice]}
          </option>
        ))}
      </select>
      <div className="actions">
        <button type="button" onClick={lockNow}>
          Lock now
        </button>
      </div>
    </SettingsCard>
  );
}
