import { html } from "hono/html";
import type { Html } from "../pages/layout.js";
import { signInPath } from "../sessions/sign-in-path.js";

/** What pages show of what only the browser can decrypt. The script `sealed-names` puts the names in the place of the words. */

/** @param words what the vault is called without the script, and while the browser is locked */
export function vaultName(vaultId: string, words: string): Html {
  return html`<span data-vault-id="${vaultId}" dir="auto">${words}</span>`;
}

/**
 * The link to unlock a browser that is signed in without keys. Hidden until the script finds that they are missing.
 *
 * @param next the path to come back to
 */
export function unlockLink(words: string, next: string): Html {
  return html`<a href="${signInPath(next, { again: true, locked: true })}" data-unlock hidden>${words}</a>`;
}
