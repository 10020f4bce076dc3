import { html } from "hono/html";
import type { AccountsParts } from "../accounts-parts.js";
import type { Page } from "../pages/layout.js";
import { messages, nameField, needsScript, shownRecoveryCode, untilScript } from "../pages/script-parts.js";
import { signInPath } from "../sessions/sign-in-path.js";

/**
 * The sign-up page. Its script is `browser/sign-up.ts`.
 *
 * @param next the path of the page after sign-up.
 */
export function signUpPage({ signUp }: Pick<AccountsParts, "signUp">, next: string): Page {
  const title = "Create an account";
  if (!signUp) {
    return {
      title,
      body: html`<p>On this platform, accounts are created by an administrator. Ask yours for one.</p>
        <p><a href="${signInPath(next)}">Sign in</a> if you have an account.</p>`,
    };
  }
  return {
    title,
    scripts: ["sign-up"],
    body: html`
      ${needsScript}
      ${messages}
      <form id="sign-up" data-next="${next}" novalidate>
        ${nameField({ id: "display-name", name: "displayName", label: "Your name", hint: "As other people see it.", autocomplete: "name" })}
        <p>There are no passwords here. A passkey signs you in with the screen lock of your device, or with a security key. It also
          unlocks your items: the server cannot read them.</p>
        <div class="actions">
          <button class="primary" name="passkey" value="yes" ${untilScript}>Create a passkey</button>
          <button name="passkey" value="no" ${untilScript}>Continue without a passkey</button>
        </div>
        <p>Do you have an account? <a href="${signInPath(next)}">Sign in</a>.</p>
      </form>
      ${shownRecoveryCode}`,
  };
}
