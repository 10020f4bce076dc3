import { generateRecoveryCode, isLastGroup, printRecoveryCode } from "../keys/recovery-code.js";
import { deriveRecoveryKeys } from "../keys/recovery-keys.js";
import { wrapUserKeys } from "../keys/wrap-user-keys.js";
import { element, run, showFieldError } from "./page.js";
import { saveText } from "./save-text.js";

/** Generates a recovery code for an account. `recovery` is for the server, `printed` for the person alone. */
export async function newRecoveryCode(accountId: string, keys: Uint8Array<ArrayBuffer>) {
  const code = generateRecoveryCode();
  const { locator, signInPublicKey, wrappingSecret } = await deriveRecoveryKeys(code);
  const wrappedKeys = await wrapUserKeys(keys, wrappingSecret, { accountId, purpose: "recovery code" });
  return { printed: printRecoveryCode(code), recovery: { locator, signInPublicKey, wrappedKeys } };
}

/** What happens to a recovery code that is shown. */
export interface ShownRecoveryCode {
  readonly printed: string;
  /** Makes the code valid. Called when the person has typed its last group. If it fails, the code is still shown. */
  readonly confirm: () => Promise<unknown>;
  /** The page to open afterwards. */
  readonly next: string;
  /** Whether the person can leave without storing the code: a passkey unlocks their keys. */
  readonly canWait: boolean;
}

/** Shows a recovery code until the person has stored it. Leaving the page before warns. */
export function showRecoveryCode({ printed, confirm, next, canWait }: ShownRecoveryCode): void {
  const field = element("last-group", HTMLInputElement);
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  const leave = () => {
    removeEventListener("beforeunload", warn);
    location.assign(next);
    // The page stays busy until the browser has left it.
    return new Promise<never>(() => {});
  };
  addEventListener("beforeunload", warn);
  element("shown-recovery-code", HTMLElement).textContent = printed;
  element("new-recovery-code", HTMLElement).hidden = false;
  element("new-recovery-code-title", HTMLElement).focus();
  element("print-recovery-code", HTMLButtonElement).onclick = () => print();
  element("copy-recovery-code", HTMLButtonElement).onclick = async ({ currentTarget }) => {
    await navigator.clipboard.writeText(printed);
    if (currentTarget instanceof HTMLElement) currentTarget.textContent = "Copied";
  };
  element("download-recovery-code", HTMLButtonElement).onclick = () => saveText("recovery-code.txt", `${printed}\n`);
  const later = element("recovery-code-later", HTMLButtonElement);
  later.hidden = !canWait;
  later.onclick = () => void leave();
  element("confirm-recovery-code", HTMLFormElement).onsubmit = (event) => {
    event.preventDefault();
    const stored = isLastGroup(printed, field.value);
    showFieldError(
      field,
      stored ? undefined : "This is not the last group. Look at what you stored, and type its last 4 characters.",
    );
    if (!stored) return;
    void run("Saving…", async () => {
      await confirm();
      await leave();
    });
  };
}
