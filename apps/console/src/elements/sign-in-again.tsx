import { useEffect } from "react";
import { AccountError } from "../session/account-error.js";
import { proveAgain } from "../session/leave.js";

/** Whether an error is that the person signed in too long ago for a change of their access. */
export function isTooOld(error: unknown): boolean {
  return error instanceof AccountError && error.reason === "SIGN_IN_AGAIN";
}

const storedAs = "vault: where the person was";

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

/** Moves the focus to where the person was before they signed in again, once. @param loaded whether that is on the page */
export function useFocusBack(loaded: boolean): void {
  useEffect(() => {
    const id = loaded ? sessionStorage.getItem(storedAs) : null;
    if (id === null) return;
    sessionStorage.removeItem(storedAs);
    document.getElementById(id)?.focus();
  }, [loaded]);
}
