import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import { signInPath, signUpPath, vaultPath } from "../sessions/sign-in-path.js";

/** What the page at the root of the accounts origin depends on. */
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
    body: html`
      <p>The platform stores the items of your vaults. Your browser encrypts them before they are sent, and the server has no key
        that decrypts them.</p>
      <p>Software that works for you, such as an assistant, asks you for access. You decide what it may do, and for how long.</p>
      ${signedOutLinks(signUp)}
      <p class="hint"><a href="${apiUrl}/docs">Documentation</a></p>`,
  };
}

function signedOutLinks(signUp: boolean): Html {
  return html`<ul>
        <li><a href="${signInPath(vaultPath)}">Sign in</a></li>
        <li>${signUp ? html`<a href="${signUpPath(vaultPath)}">Create an account</a>` : "Accounts are created by your administrator."}</li>
      </ul>`;
}
