import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import { messages, needsScript, recoveryCodeField, untilScript } from "../pages/script-parts.js";
import type { Session } from "../sessions/session.js";
import { signUpPath } from "../sessions/sign-in-path.js";

/** What the sign-in page depends on. */
export interface SignInView {
  /** The person who must sign in again; undefined if nobody is signed in. */
  readonly session: Session | undefined;
  /** The path of the page after sign-in. */
  readonly next: string;
  /** Whether a page was locked because its session has ended. */
  readonly ended: boolean;
  /** Whether people may create accounts. */
  readonly signUp: boolean;
}

/** The sign-in page. Its script is `browser/sign-in.ts`. */
export function signInPage({ session, next, ended, signUp }: SignInView): Page {
  const again = session !== undefined;
  return {
    title: again ? "Sign in again" : "Sign in",
    scripts: ["sign-in"],
    signedInAs: session?.displayName,
    body: html`
      ${needsScript}
      ${ended ? lockedNotice : ""}
      ${again ? html`<p>You signed in more than 5 minutes ago. Confirm that it is you to continue.</p>` : ""}
      <div id="sign-in" data-next="${next}" data-again="${again ? "yes" : "no"}">
        ${messages}
        <div class="actions"><button type="button" class="primary" id="use-passkey" ${untilScript}>Use a passkey</button></div>
        <h2>Without a passkey</h2>
        <form id="use-recovery-code">
          ${recoveryCodeField}
          <div class="actions"><button ${untilScript}>Use the recovery code</button></div>
        </form>
      </div>
      ${again ? "" : createAccount(signUp, next)}`,
  };
}

const lockedNotice: Html = html`<p class="notice" role="status">You were signed out: here, everywhere, or because nobody used the page for
  15 minutes. The page was locked, and your items with it. Sign in to come back to it.</p>`;

function createAccount(signUp: boolean, next: string): Html {
  return signUp
    ? html`<p>Are you new here? <a href="${signUpPath(next)}">Create an account</a>.</p>`
    : html`<p>Accounts are created by your administrator.</p>`;
}
