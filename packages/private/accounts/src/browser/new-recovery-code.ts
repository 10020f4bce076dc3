import { generateRecoveryCode, lastGroupProblem, printRecoveryCode } from "../keys/recovery-code.js";
import { deriveRecoveryKeys } from "../keys/recovery-keys.js";
import { wrapUserKeys } from "../keys/wrap-user-keys.js";
import { brandName } from "../pages/brand.js";
import { copySecret } from "./output/clipboard.js";
import { drawQrCode } from "./output/qr-code.js";
import { saveText } from "./output/save-text.js";
import { element, run, setTitle, showFieldError } from "./page.js";

/** Generates a recovery code for an account. `recovery` is for the server, `printed` for the person alone. */
export async function newRecoveryCode(accountId: string, keys: Uint8Array<ArrayBuffer>) {
  const code = generateRecoveryCode();
  const { locator, signInPublicKey, wrappingSecret } = await deriveRecoveryKeys(code);
  const wrappedKeys = await wrapUserKeys(keys, wrappingSecret, { accountId, purpose: "recovery code" });
  return { printed: printRecoveryCode(code), recovery: { locator, signInPublicKey, wrappedKeys } };
}

/** Says on the paper or in the file with a recovery code what it is for, whose it is, and since when. */
export function recoveryCodeNote(displayName: string): string {
  const today = new Date().toLocaleDateString("en-GB", { dateStyle: "long" });
  return `${brandName}: recovery code of ${displayName}\n${location.origin}\n${today}`;
}

export function saveRecoveryCode(printed: string, note: string): void {
  saveText("recovery-code.txt", `${note}\n\n${printed}\n`);
}

/** Copies a recovery code. Its button says for 2 s what came of it, and then `Copy` again. */
export async function copyRecoveryCode(printed: string, say: (words: string) => void): Promise<void> {
  const copied = await copySecret(printed).then(
    () => "Copied",
    () => "Not copied: the browser does not allow it",
  );
  say(copied);
  setTimeout(() => say("Copy"), 2_000);
}

export interface ShownRecoveryCode {
  readonly printed: string;
  /** Whose code it is. Default: the signed-in person, whom the header names. */
  readonly displayName?: string;
  /** Makes the code valid. Called when the person has typed its last group. If it fails, the code is still shown. */
  readonly confirm: () => Promise<unknown>;
  readonly next: string;
  /** Whether the page offers to continue without storing the code: a passkey unlocks their keys. */
  readonly canWait: boolean;
  /** What the person loses if they leave without storing the code. */
  readonly loss: string;
}

/** Shows a recovery code until the person has stored it. Leaving the page before, in any way, first says what is lost. */
export function showRecoveryCode({ printed, displayName, confirm, next, canWait, loss }: ShownRecoveryCode): void {
  const field = element("last-group", HTMLInputElement);
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  const leave = (to: string) => {
    removeEventListener("beforeunload", warn);
    location.assign(to);
    // The page stays busy until the browser has left it.
    return new Promise<never>(() => {});
  };
  addEventListener("beforeunload", warn);
  const dialog = element("leave-code", HTMLDialogElement);
  element("leave-code-loss", HTMLElement).textContent = loss;
  element("leave-code-cancel", HTMLButtonElement).onclick = () => dialog.close();
  const askBeforeLeaving = (to: string) => {
    element("leave-code-confirm", HTMLButtonElement).onclick = () => void leave(to);
    dialog.showModal();
  };
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || link.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    askBeforeLeaving(link.href);
  });
  element("shown-recovery-code", HTMLElement).textContent = printed;
  const note = recoveryCodeNote(displayName ?? element("signed-in-as", HTMLElement).textContent);
  element("recovery-code-note", HTMLElement).textContent = note;
  // Without its script, the paper has no picture.
  void drawQrCode(printed, element("recovery-code-picture", HTMLElement)).catch(() => undefined);
  element("new-recovery-code", HTMLElement).hidden = false;
  setTitle("Your recovery code");
  element("print-recovery-code", HTMLButtonElement).onclick = () => print();
  const copy = element("copy-recovery-code", HTMLButtonElement);
  copy.onclick = () =>
    void copyRecoveryCode(printed, (words) => {
      copy.textContent = words;
    });
  element("download-recovery-code", HTMLButtonElement).onclick = () => saveRecoveryCode(printed, note);
  const later = element("recovery-code-later", HTMLButtonElement);
  later.hidden = !canWait;
  later.onclick = () => askBeforeLeaving(next);
  element("confirm-recovery-code", HTMLFormElement).onsubmit = (event) => {
    event.preventDefault();
    const problem = lastGroupProblem(printed, field.value);
    showFieldError(field, problem);
    if (problem !== undefined) return;
    const reports = { status: "new-code-status", error: "new-code-error" };
    void run(
      "Saving…",
      async () => {
        await confirm();
        await leave(next);
      },
      reports,
    );
  };
}
