import { html } from "hono/html";
import type { AccountsParts } from "../http/environment.js";
import type { Html, Page } from "../pages/layout.js";
import {
  messages,
  nameField,
  needsScript,
  recoveryCodeField,
  shownRecoveryCode,
  untilScript,
} from "../pages/script-parts.js";
import type { Session } from "../people/session.js";
import { securityPath, signInPath, signUpPath } from "../sessions/sign-in-path.js";

interface SignInView {
  /** The person who must sign in again; undefined if nobody is signed in. */
  readonly session: Session | undefined;
  /** The path of the page after sign-in. */
  readonly next: string;
  /** Whether a page was locked because its session has ended. */
  readonly ended: boolean;
  /** Whether the browser is locked: the session goes on, and the keys have left. */
  readonly locked: boolean;
  /** Whether the person who is signed in chooses an account. */
  readonly select: boolean;
  /** Whether people may create accounts. */
  readonly signUp: boolean;
}

/** The sign-in page. Its script is `browser/sign-in.ts`. */
export function signInPage({ session, next, ended, locked, select, signUp }: SignInView): Page {
  const again = session !== undefined && (locked || !select);
  const selecting = session !== undefined && !again;
  return {
    title: locked ? "Locked" : again ? "Sign in again" : selecting ? "Choose an account" : "Sign in",
    narrow: true,
    scripts: ["sign-in"],
    signedInAs: session?.displayName,
    body: html`
      ${needsScript}
      ${again ? html`<p>${locked ? lockedWords : confirmWords}</p>` : selecting ? html`<p>${selectWords}</p>` : purposeOf(next)}
      <div id="sign-in" data-next="${next}" data-again="${again ? "yes" : "no"}" data-locked="${session?.locked ? "session" : locked ? "browser" : ""}">
        ${messages}
        <div id="proof">
          ${ended ? lockedNotice : ""}
          <form id="use-passkey">
            <div class="actions"><button class="primary" ${untilScript}>${locked ? "Unlock with your passkey" : "Continue with a passkey"}</button></div>
            ${again ? "" : suggestedPasskeys}
          </form>
          <details>
            <summary>Use a recovery code instead</summary>
            <form id="use-recovery-code">
              ${recoveryCodeField}
              <div class="actions"><button ${untilScript}>Use the recovery code</button></div>
            </form>
          </details>
          ${session !== undefined ? signOutForm : createAccount(signUp, next)}
        </div>
        ${again ? "" : offeredPasskey}
      </div>`,
  };
}

/** The field in which the browser suggests passkeys. Hidden until it can (`browser/passkey-suggestions.ts`). */
const suggestedPasskeys: Html = html`<div id="suggested-passkeys" hidden>
            <label class="quiet" for="passkey">Or choose one of your passkeys</label>
            <input type="text" id="passkey" autocomplete="username webauthn" autocapitalize="none" spellcheck="false">
          </div>`;

const signOutForm: Html = html`<form method="post" action="/sign-out"><div class="actions"><button class="quiet">Sign out</button></div></form>`;

/** Offers a passkey to a person who has signed in with their recovery code. Hidden until then. */
const offeredPasskey: Html = html`<div id="offered-passkey" hidden>
          <p>You signed in with your recovery code. With a passkey, the screen lock of this device signs you in and unlocks your items, and
            you can keep the code in its safe place.</p>
          <div class="actions">
            <button type="button" class="primary" id="add-passkey">Add a passkey</button>
            <button type="button" id="add-passkey-later">Not now</button>
          </div>
        </div>`;

const lockedWords =
  "This browser does not have your keys, so it can open no item. Unlock it to come back to where you were.";
const confirmWords = "Confirm that it is you to continue.";
const selectWords = "Sign in with the account that you want to use. It may be the one that you use now.";

/** Says what the person wanted to do when they had to sign in. */
function purposeOf(next: string): Html | string {
  if (/^\/device(?:[?/]|$)/.test(next)) return html`<p>Sign in to connect a device. You then see what it asks for.</p>`;
  if (next.startsWith("/oauth/authorize?")) return html`<p>Sign in to see what the software asks for.</p>`;
  return "";
}

const lockedNotice: Html = html`<p class="notice" role="status">You were signed out: here, everywhere, or because nobody used the page for
  15 minutes. The page was locked, and your items with it. Sign in to come back to it.</p>`;

function createAccount(signUp: boolean, next: string): Html {
  return signUp
    ? html`<p>Are you new here? <a href="${signUpPath(next)}">Create an account</a>.</p>`
    : html`<p>Accounts are created by your administrator.</p>`;
}

/** The sign-up page. Its script is `browser/sign-up.ts`. */
export function signUpPage({ signUp }: Pick<AccountsParts, "signUp">, next: string): Page {
  const title = "Create an account";
  if (!signUp) {
    return {
      title,
      narrow: true,
      body: html`<p>On this platform, accounts are created by an administrator. Ask yours for one.</p>
        <p><a href="${signInPath(next)}">Sign in</a> if you have an account.</p>`,
    };
  }
  return {
    title,
    narrow: true,
    scripts: ["sign-up"],
    body: html`
      ${needsScript}
      <form id="sign-up" data-next="${next}" novalidate>
        <p class="meta">1 of 2</p>
        ${nameField}
        <p>There are no passwords here. A passkey signs you in with the screen lock of your device, or with a security key. It also
          unlocks your items: the server cannot read them.</p>
        ${messages}
        <div class="actions">
          <button class="primary" name="passkey" value="yes" ${untilScript}>Create a passkey</button>
        </div>
        <p>Do you have an account? <a href="${signInPath(next)}">Sign in</a>.</p>
        <p class="meta"><button class="link" name="passkey" value="no" ${untilScript}>Continue without a passkey</button>. You then
          type a long code whenever you sign in or unlock your items. If you lose it, you lose your items.</p>
      </form>
      ${shownRecoveryCode("2 of 2")}`,
  };
}

/**
 * The page of a person whose recovery code was replaced, or whose passkey was removed, after the point in time that the platform was
 * restored to. Its scripts are `browser/sign-in.ts` and `browser/replace-code.ts`.
 */
export function confirmCodePage({ displayName }: Pick<Session, "displayName">): Page {
  return {
    title: "Confirm your recovery code",
    narrow: true,
    scripts: ["replace-code", "sign-in"],
    signedInAs: displayName,
    body: html`
      ${needsScript}
      ${messages}
      <div id="confirm-code">
        <p>The platform was restored to an earlier point in time. What you changed after it is undone: a recovery code that you replaced
          is valid again, the new one is not, and a passkey that you removed signs you in again.</p>
        <div id="sign-in" data-next="${securityPath}#passkeys" data-again="yes">
          <form id="use-recovery-code">
            ${recoveryCodeField}
            <div class="actions"><button class="primary" ${untilScript}>Confirm</button></div>
          </form>
        </div>
        <h2>If your code is not accepted</h2>
        <p>A passkey that unlocks your items can create a new code. Then check your passkeys, and remove those that you no longer have.</p>
        <div class="actions"><button type="button" id="replace-code" ${untilScript}>Create a new recovery code</button></div>
      </div>
      ${shownRecoveryCode()}`,
  };
}
