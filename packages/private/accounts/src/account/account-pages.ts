import { html } from "hono/html";
import type { AccountsParts } from "../http/environment.js";
import type { Page } from "../pages/layout.js";
import { signInPath, signUpPath, vaultPath } from "../sessions/sign-in-path.js";

/** The page at the root of the accounts origin, for who is not signed in: what the platform is, and where to go. */
export function homePage({ signUp, apiUrl }: Pick<AccountsParts, "signUp" | "apiUrl">): Page {
  return {
    title: "A vault that only you can read",
    narrow: true,
    body: html`
      <p>Your browser encrypts your items before it sends them, and the server has no key that decrypts them. You decide what software may
        do for you, and for how long.</p>
      <p>The vault cannot yet share items with other people, fill in passwords with a browser extension, or keep a file of more than 26 kB.</p>
      <div class="actions">
        <a href="${signInPath(vaultPath)}" class="button primary">Sign in</a>
        ${signUp ? html`<a href="${signUpPath(vaultPath)}" class="button">Create an account</a>` : ""}
      </div>
      ${signUp ? "" : html`<p class="meta">Accounts are created by your administrator.</p>`}
      <p class="meta"><a href="${apiUrl}/docs">Documentation</a></p>`,
  };
}

export function deletedPage({ signUp }: Pick<AccountsParts, "signUp">): Page {
  return {
    title: "Your account is deleted",
    body: html`
      <p>Nobody can read the items of your vaults any more. Your passkeys and your recovery code no longer sign in, you are signed
        out everywhere, and agents and apps have no access.</p>
      <p>Your device may still offer a passkey of this account: delete it there, too. Your printed recovery code is of no use any more.</p>
      ${signUp ? html`<p><a href="${signUpPath(vaultPath)}">Create an account</a></p>` : ""}`,
  };
}

export const resetPage: Page = {
  title: "Reset the page of the vault",
  narrow: true,
  scripts: ["reset"],
  body: html`
    <p>Your browser keeps the page of the vault, so that it opens without a network. This removes it from this browser. You lose nothing.</p>
    <p id="status" role="status"></p>
    <p><a href="${vaultPath}">Open your vault</a></p>`,
};
