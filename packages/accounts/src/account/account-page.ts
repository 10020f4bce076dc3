import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import { messages, nameField, recoveryCodeField, shownRecoveryCode, untilScript } from "../pages/script-parts.js";
import type { Account, Passkey } from "../people/account.js";
import type { ListedSession, Session } from "../people/session.js";
import { timeInWords } from "../review/words.js";
import type { Access } from "./access.js";
import { type ConnectedSoftware, softwareSection } from "./connected-software.js";

export interface AccountView extends Access {
  readonly session: Session;
  readonly software: readonly ConnectedSoftware[];
}

/** The account page: passkeys, recovery code, sessions, and the software that may act for the person. Its script is `browser/account.ts`. */
export function accountPage({ session, account, sessions, software }: AccountView): Page {
  return {
    title: "Your account",
    scripts: ["account"],
    signedInAs: session.displayName,
    body: html`
      <div id="account" data-account-id="${account.accountId}">${messages}</div>
      ${shownRecoveryCode}
      <div id="account-details">
        ${keysSection} ${passkeysSection(account.passkeys)} ${recoverySection(account)} ${sessionsSection(session, sessions)}
        ${softwareSection(software)}
      </div>
      ${unlockDialog}`,
  };
}

const keysSection: Html = html`
  <section aria-labelledby="keys">
    <h2 id="keys">Your items</h2>
    <p id="keys-unlocked" hidden>Your items can be opened in this browser, until you sign out.</p>
    <div id="keys-locked" hidden>
      <p>Your items are locked in this browser. A passkey that unlocks items opens them, or your recovery code.</p>
      <div class="actions"><button type="button" id="unlock" ${untilScript}>Unlock</button></div>
    </div>
    <noscript><p>Opening items needs JavaScript.</p></noscript>
  </section>`;

function passkeysSection(passkeys: readonly Passkey[]): Html {
  return html`
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      ${
        passkeys.length === 0
          ? html`<p>You have no passkey. You sign in with your recovery code.</p>`
          : html`<ul class="plain entries">${passkeys.map(passkeyEntry)}</ul>`
      }
      <form id="add-passkey" novalidate>
        ${nameField({ id: "passkey-name", name: "name", label: "Name of a new passkey", autocomplete: "off" })}
        <div class="actions"><button ${untilScript}>Add a passkey</button></div>
      </form>
    </section>`;
}

function passkeyEntry({ id, name, createdAt, lastUsedAt, backedUp, wrappedKeys }: Passkey): Html {
  return html`<li data-passkey-id="${id}">
    <strong>${name}</strong>
    <p class="hint">
      ${wrappedKeys === undefined ? "Signs you in, but cannot unlock items." : "Signs you in and unlocks your items."}
      ${backedUp ? "Synchronized between your devices." : "On one device only."}
      Added ${time(createdAt)}, last used ${time(lastUsedAt)}.
    </p>
    <form action="/account/passkeys/remove">
      <input type="hidden" name="id" value="${id}">
      <button aria-label="Remove the passkey ${name}">Remove</button>
    </form>
  </li>`;
}

function recoverySection({ recovery }: Account): Html {
  return html`
    <section aria-labelledby="recovery">
      <h2 id="recovery">Recovery code</h2>
      <p>It signs you in and unlocks your items without a passkey. ${
        recovery === undefined
          ? html`<strong>You have not stored one yet.</strong> If you lose your passkey, you lose your items.`
          : "A new one replaces the old one when you have stored it. The old one then no longer works."
      }</p>
      <div class="actions"><button type="button" id="replace-recovery-code" ${untilScript}>Create a ${
        recovery === undefined ? "" : "new "
      }recovery code</button></div>
    </section>`;
}

function sessionsSection(current: Session, sessions: readonly ListedSession[]): Html {
  return html`
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul class="plain entries">${sessions.map((session) => sessionEntry(session, session.sessionId === current.sessionId))}</ul>
      <div class="actions">
        <form method="post" action="/sign-out"><button>Sign out</button></form>
        <form method="post" action="/account/sessions/end-all"><button>Sign out everywhere</button></form>
      </div>
    </section>`;
}

function sessionEntry(session: ListedSession, current: boolean): Html {
  const { sessionId, browser, address, how, signedInAt, lastSeenAt } = session;
  return html`<li>
    <div><strong>${browser}</strong>${current ? " (this session)" : ""}</div>
    <p class="hint">From ${address}. Signed in with a ${how} ${time(signedInAt)}, last seen ${time(lastSeenAt)}.</p>
    ${
      current
        ? ""
        : html`
      <form method="post" action="/account/sessions/end">
        <input type="hidden" name="id" value="${sessionId}">
        <button aria-label="End the session of ${browser}, signed in ${timeInWords(signedInAt)}">End</button>
      </form>`
    }
  </li>`;
}

const unlockDialog: Html = html`
  <dialog id="unlock-dialog" aria-labelledby="unlock-title">
    <h2 id="unlock-title">Confirm that it is you</h2>
    <p>This needs your keys, which only a passkey or your recovery code unlocks.</p>
    <p id="unlock-error" class="error" role="alert"></p>
    <div class="actions"><button type="button" class="primary" id="unlock-passkey">Use a passkey</button></div>
    <form id="unlock-recovery-code">
      ${recoveryCodeField}
      <div class="actions">
        <button ${untilScript}>Use the recovery code</button>
        <button type="button" id="unlock-cancel">Cancel</button>
      </div>
    </form>
  </dialog>`;

function time(ms: number): Html {
  return html`<time datetime="${new Date(ms).toISOString()}">${timeInWords(ms)}</time>`;
}
