import { html } from "hono/html";
import type { Html, Page } from "../pages/layout.js";
import type { Session } from "../people/session.js";
import { signInPath, signUpPath } from "../sessions/sign-in-path.js";

/** What the page at the root of the accounts origin depends on. */
export interface HomeView {
  /** Undefined if nobody is signed in. */
  readonly session: Session | undefined;
  /** Whether people may create accounts. */
  readonly signUp: boolean;
  /** The URL of the API, with the base path. */
  readonly apiUrl: string;
}

const account = "/account";

/** The page at the root of the accounts origin: what the platform is, and where to go. */
export function homePage({ session, signUp, apiUrl }: HomeView): Page {
  return {
    title: session === undefined ? "A vault that only you can read" : `Welcome, ${session.displayName}`,
    signedInAs: session?.displayName,
    body: html`
      <p>The platform stores the items of your vaults. Your browser encrypts them before they are sent, and the server has no key
        that decrypts them.</p>
      <p>Software that works for you, such as an assistant, asks you for access. You decide what it may do, and for how long.</p>
      ${session === undefined ? signedOutLinks(signUp) : signedInLinks}
      <p class="hint"><a href="${apiUrl}/docs">Documentation</a></p>`,
  };
}

const signedInLinks: Html = html`<ul>
        <li><a href="/console">Your vaults</a></li>
        <li><a href="${account}">Your account</a>: passkeys, recovery code, and what is connected</li>
        <li><a href="/device">Enter a code</a> that a device or a program shows</li>
      </ul>`;

function signedOutLinks(signUp: boolean): Html {
  return html`<ul>
        <li><a href="${signInPath(account)}">Sign in</a></li>
        <li>${signUp ? html`<a href="${signUpPath(account)}">Create an account</a>` : "Accounts are created by your administrator."}</li>
      </ul>`;
}
