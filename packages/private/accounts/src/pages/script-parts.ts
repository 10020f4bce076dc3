import { html } from "hono/html";
import { longestName } from "../people/personal-name.js";
import type { Html } from "./layout.js";

/** For pages whose work is done by a script: keys and passkeys exist only there. */
export const needsScript: Html = html`<noscript>
  <p class="notice">This page needs JavaScript: your browser itself unlocks your keys, so that the server never has them.</p>
</noscript>`;

/**
 * Disables a button until the script of the page is ready (`enableButtons`). Without its script, a form would send its fields to the
 * server, such as a recovery code, in a URL.
 */
export const untilScript: Html = html`data-until-script disabled`;

/** Where the script of a page says what it does, and what went wrong. */
export const messages: Html = html`
  <p id="status" role="status"></p>
  <p id="error" class="error" role="alert"></p>`;

/** The field for a recovery code. Pasting and spaces are allowed. */
export const recoveryCodeField: Html = html`
  <label for="recovery-code">Recovery code</label>
  <p class="hint" id="recovery-code-hint">7 groups of 4 digits and letters. Capitals, spaces and hyphens do not matter.</p>
  <input type="text" id="recovery-code" name="recoveryCode" required maxlength="64" autocomplete="off"
    autocapitalize="characters" spellcheck="false" aria-describedby="recovery-code-hint recovery-code-error">
  <p class="error" id="recovery-code-error" role="alert"></p>`;

/**
 * Shows a new recovery code. Hidden until the script has one. The code has no effect until the person types its last group: then they
 * have it somewhere.
 *
 * @param step where the person is, such as "2 of 2". Default: the page is not one of several
 */
export function shownRecoveryCode(step?: string): Html {
  return html`
  <section id="new-recovery-code" aria-label="Your recovery code" hidden>
    ${step === undefined ? "" : html`<p class="meta">${step}</p>`}
    <p>It signs you in and unlocks your items when you have no passkey at hand. Print it or write it down, and keep it in a safe
      place. <strong>It is shown only now.</strong> Nobody can give it to you again, and anyone who has it can read your items.</p>
    <p class="shown-code" id="shown-recovery-code" translate="no"></p>
    <div class="paper-code" id="recovery-code-picture"></div>
    <p class="hint code-note" id="recovery-code-note"></p>
    <div class="actions">
      <button type="button" id="download-recovery-code">Download</button>
      <button type="button" id="copy-recovery-code">Copy</button>
      <button type="button" id="print-recovery-code">Print</button>
    </div>
    <dialog id="leave-code" aria-labelledby="leave-code-title">
      <h2 id="leave-code-title">Leave without a recovery code?</h2>
      <p id="leave-code-loss"></p>
      <div class="actions">
        <button type="button" class="quiet" id="leave-code-cancel">Back to the code</button>
        <button type="button" class="danger primary" id="leave-code-confirm">Leave</button>
      </div>
    </dialog>
    <form id="confirm-recovery-code" novalidate>
      <label for="last-group">Last group of the code</label>
      <p class="hint" id="last-group-hint">Type its last 4 digits and letters from where you stored it. Then the code is valid.</p>
      <p class="error" id="last-group-error" role="alert"></p>
      <input type="text" id="last-group" name="lastGroup" maxlength="16" autocomplete="off" autocapitalize="characters"
        spellcheck="false" aria-describedby="last-group-hint last-group-error">
      <p id="new-code-status" role="status"></p>
      <p id="new-code-error" class="error" role="alert"></p>
      <div class="actions">
        <button class="primary">Continue</button>
        <button type="button" class="quiet" id="recovery-code-later" hidden>Not now</button>
      </div>
    </form>
  </section>`;
}

/** The field for the name of a new account. If the name is not accepted, the script shows the reason next to the field. */
export const nameField: Html = html`
  <label for="display-name">Your name</label>
  <p class="hint" id="display-name-hint">As other people see it.</p>
  <p class="error" id="display-name-error" role="alert"></p>
  <input type="text" id="display-name" name="displayName" maxlength="${longestName}" autocomplete="name" dir="auto"
    aria-describedby="display-name-hint display-name-error">`;
