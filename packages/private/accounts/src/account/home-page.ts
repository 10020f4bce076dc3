import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import { signInPath, signUpPath, vaultPath } from "../sessions/sign-in-path.js";

export interface HomeView {
  /** Whether people may create accounts. */
  readonly signUp: boolean;
  /** The URL of the API, with the base path. */
  readonly apiUrl: string;
}

/** The page at the root of the accounts origin, for who is not signed in: what the platform is, and where to go. */
export function homePage({ signUp, apiUrl }: HomeView): Page {
  return {
    title: "A vault that only you can read",
    narrow: true,
    body: html`
      <p>Your browser encrypts your items before it sends them, and the server has no key that decrypts them. You decide what software may
        do for you, and for how long.</p>
      <p>The vault cannot yet share items with other people, fill in passwords with a browser extension, or keep a file of more than 26 kB.</p>
      ${signedOutLinks(signUp)}
      <p class="meta"><a href="${apiUrl}/docs">Documentation</a></p>`,
  };
}

function signedOutLinks(signUp: boolean): Html {
  return html`<div class="actions">
        <a href="${signInPath(vaultPath)}" class="button primary">Sign in</a>
        ${signUp ? html`<a href="${signUpPath(vaultPath)}" class="button">Create an account</a>` : ""}
      </div>
      ${signUp ? "" : html`<p class="meta">Accounts are created by your administrator.</p>`}`;
}
