import { html } from "hono/html";
import type { Page } from "../pages/layout.js";
import { messages, needsScript, recoveryCodeField, untilScript } from "../pages/script-parts.js";
import type { Session } from "../sessions/session.js";

/**
 * The page of a person whose recovery code was replaced, or whose passkey was removed, after the point in time that the platform was
 * restored to. Its script is `browser/sign-in.ts`.
 */
export function confirmCodePage({ displayName }: Pick<Session, "displayName">): Page {
  return {
    title: "Confirm your recovery code",
    scripts: ["sign-in"],
    signedInAs: displayName,
    body: html`
      ${needsScript}
      <p>The platform was restored to an earlier point in time. What you changed after it is undone: a recovery code that you replaced
        is valid again, the new one is not, and a passkey that you removed signs you in again.</p>
      <div id="sign-in" data-next="/account#passkeys" data-again="yes">
        ${messages}
        <form id="use-recovery-code">
          ${recoveryCodeField}
          <div class="actions"><button class="primary" ${untilScript}>Confirm</button></div>
        </form>
      </div>
      <h2>If your code is not accepted</h2>
      <form action="/account"><input type="hidden" name="code" value="new">
        <div class="actions"><button>Create a new recovery code</button></div>
      </form>
      <p class="hint">Then check your passkeys, and remove those that you no longer have.</p>`,
  };
}
