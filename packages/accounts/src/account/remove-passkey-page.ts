import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import { type Account, canUnlock, type Passkey } from "../people/account.js";
import { timeInWords } from "../review/words.js";

/** The page that asks whether to remove a passkey. Works without scripts. */
export function removePasskeyPage(account: Account, { id, name, lastUsedAt }: Passkey, signedInAs: string): Page {
  const left = account.passkeys.filter((passkey) => passkey.id !== id);
  const refused = !canUnlock({ ...account, passkeys: left });
  return {
    title: "Remove this passkey?",
    signedInAs,
    body: html`
      <p><strong>${name}</strong>, last used ${timeInWords(lastUsedAt)}, will no longer sign you in. Your device may still offer it:
        delete it there, too.</p>
      ${warning(left, refused)}
      <div class="actions">
        <form action="/account"><button>Cancel</button></form>
        ${
          refused
            ? ""
            : html`<form method="post" action="/account/passkeys/remove">
          <input type="hidden" name="id" value="${id}">
          <button class="danger">Remove ${name}</button>
        </form>`
        }
      </div>`,
  };
}

function warning(left: readonly Passkey[], refused: boolean): Html {
  if (refused) {
    return html`<p class="notice">Nothing else unlocks your items. <a href="/account#recovery">Store a recovery code</a> first, or
      you would lose them.</p>`;
  }
  if (left.length === 0) {
    return html`<p class="notice">This is your last passkey. From then on, only your recovery code signs you in and unlocks your
      items. Remove it only if you have the code.</p>`;
  }
  if (!canUnlock({ passkeys: left })) {
    return html`<p class="notice">This is your last passkey that unlocks your items. From then on, only your recovery code unlocks
      them.</p>`;
  }
  return html``;
}
