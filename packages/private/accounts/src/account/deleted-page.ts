import { html } from "hono/html";
import type { AccountsParts } from "../http/environment.js";
import type { Page } from "../pages/layout.js";
import { signUpPath, vaultPath } from "../sessions/sign-in-path.js";

export const deletedPath = "/account/deleted";

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
