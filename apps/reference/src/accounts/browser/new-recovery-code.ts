import { generateRecoveryCode, printRecoveryCode } from "../keys/recovery-code.js";
import { deriveRecoveryKeys } from "../keys/recovery-keys.js";
import { wrapUserKeys } from "../keys/wrap-user-keys.js";
import { element } from "./page.js";

/** Generates a recovery code for an account. `recovery` is for the server, `printed` for the person alone. */
export async function newRecoveryCode(accountId: string, keys: Uint8Array<ArrayBuffer>) {
  const code = generateRecoveryCode();
  const { locator, signInPublicKey, wrappingSecret } = await deriveRecoveryKeys(code);
  const wrappedKeys = await wrapUserKeys(keys, wrappingSecret, { accountId, purpose: "recovery code" });
  return { printed: printRecoveryCode(code), recovery: { locator, signInPublicKey, wrappedKeys } };
}

/** Shows a recovery code, and resolves when the person has stored it. */
export function showRecoveryCode(printed: string): Promise<void> {
  const section = element("new-recovery-code", HTMLElement);
  element("shown-recovery-code", HTMLElement).textContent = printed;
  section.hidden = false;
  element("new-recovery-code-title", HTMLElement).focus();
  element("print-recovery-code", HTMLButtonElement).onclick = () => print();
  return new Promise((resolve) => {
    element("recovery-code-stored", HTMLFormElement).onsubmit = (event) => {
      event.preventDefault();
      resolve();
    };
  });
}
