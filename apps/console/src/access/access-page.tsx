import "./access.css";
import { useEffect, useRef, useState } from "react";
import { ErrorMessage } from "../parts/error-message.js";
import { AccountError } from "../session/account-error.js";
import { proveAgain } from "../session/session.js";
import { type EndedAccess, useAccess } from "./access.js";
import { Passkeys } from "./passkeys.js";
import { endButtonId, Sessions, Software } from "./sessions-and-software.js";

/** Where the person is signed in, their passkeys, and the software that acts for them. Each can be ended. */
export function AccessPage() {
  const { listed, ending, renaming } = useAccess();
  const [done, setDone] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  const loaded = listed.data !== undefined;
  useEffect(() => {
    const focusId = loaded ? takeFocusId() : undefined;
    if (focusId !== undefined) document.getElementById(focusId)?.focus();
  }, [loaded]);

  const end = (access: EndedAccess) => {
    setDone("");
    ending.mutate(access, {
      onSuccess: () => {
        setDone(access.done);
        // The button that had the focus is gone.
        heading.current?.focus();
      },
    });
  };
  const rename = (id: string, name: string) => {
    setDone("");
    renaming.mutate({ id, name }, { onSuccess: () => setDone(`The passkey is now called ${name.trim()}.`) });
  };
  const refusedName =
    isReason(renaming.error, "NAME_NOT_ALLOWED") && renaming.variables !== undefined
      ? { id: renaming.variables.id, message: renaming.error.message }
      : undefined;
  const failed = [ending, renaming].find(({ error }) => isTooOld(error));
  const parts = { busy: ending.isPending || renaming.isPending, onEnd: end };
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        Access
      </h1>
      <p>Everything that signs you in, or acts for you. End what you do not know.</p>
      <p role="status" className={done === "" ? "" : "notice"}>
        {done}
      </p>
      <ErrorMessage
        error={[listed, ending, renaming].find(({ error }) => error !== null && !isShownElsewhere(error))?.error}
      />
      {failed?.variables && <SignInAgain focusId={endButtonId(failed.variables.id)} />}
      {listed.data === undefined ? (
        listed.error === null && <p role="status">Loading…</p>
      ) : (
        <>
          <Software software={listed.data.software} {...parts} />
          <Sessions sessions={listed.data.sessions} {...parts} />
          <Passkeys
            passkeys={listed.data.passkeys}
            recoveryCode={listed.data.recoveryCode}
            onRename={rename}
            refusedName={refusedName}
            {...parts}
          />
        </>
      )}
    </>
  );
}

/** Whether a part of the page says what to do about the error. */
function isShownElsewhere(error: unknown): boolean {
  return isTooOld(error) || isReason(error, "NAME_NOT_ALLOWED");
}

function isTooOld(error: unknown): boolean {
  return isReason(error, "SIGN_IN_AGAIN");
}

function isReason(error: unknown, reason: string): error is AccountError {
  return error instanceof AccountError && error.reason === reason;
}

const storedAs = "console: where the person was";

/** Asks the person to prove again who they are. @param focusId the id of the element that gets the focus when they are back */
export function SignInAgain({ focusId }: { readonly focusId: string }) {
  const signIn = () => {
    sessionStorage.setItem(storedAs, focusId);
    proveAgain();
  };
  return (
    <div role="alert" className="notice">
      <p>
        You signed in more than 5 minutes ago. Sign in again to change who has access. You then come back to this page.
      </p>
      <button type="button" onClick={signIn}>
        Sign in again
      </button>
    </div>
  );
}

/** Returns the id of the element where the person was before they signed in again, once. */
export function takeFocusId(): string | undefined {
  const id = sessionStorage.getItem(storedAs) ?? undefined;
  sessionStorage.removeItem(storedAs);
  return id;
}
