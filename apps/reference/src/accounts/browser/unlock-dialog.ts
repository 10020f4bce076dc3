import { element, fieldValue, run } from "./page.js";
import { type ProvenIdentity, proveWithPasskey, proveWithRecoveryCode } from "./prove-identity.js";

/**
 * Asks the person to sign in again, in a dialog, with a proof that unlocks their keys. Resolves with the serialized keys; undefined
 * when the person cancels.
 */
export function unlockKeys(accountId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const dialog = element("unlock-dialog", HTMLDialogElement);
  const form = element("unlock-recovery-code", HTMLFormElement);
  const error = element("unlock-error", HTMLElement);
  const buttons = dialog.querySelectorAll("button");
  for (const button of buttons) button.disabled = false;
  error.textContent = "";
  form.reset();
  dialog.showModal();
  return new Promise((resolve) => {
    const prove = (how: () => Promise<ProvenIdentity>) =>
      run(
        "Unlocking…",
        async () => {
          const proven = await how();
          if (proven.accountId !== accountId) throw new Error("This belongs to another account. Reload the page.");
          if (proven.keys === undefined) {
            throw new Error("This passkey cannot unlock your items. Use your recovery code instead.");
          }
          resolve(proven.keys);
          dialog.close();
        },
        { error: "unlock-error" },
      );
    element("unlock-passkey", HTMLButtonElement).onclick = () => prove(() => proveWithPasskey(true));
    form.onsubmit = (event) => {
      event.preventDefault();
      prove(() => proveWithRecoveryCode(fieldValue(form, "recoveryCode"), true));
    };
    element("unlock-cancel", HTMLButtonElement).onclick = () => dialog.close();
    dialog.onclose = () => resolve(undefined);
  });
}
