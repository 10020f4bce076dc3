import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { ApiError, callApi } from "./api.js";
import { keptUserKeys } from "./kept-keys.js";
import { forgetUnfinishedPasskey, type MadePasskey, newPasskeyFor, sendPasskey } from "./new-passkey.js";
import { newRecoveryCode, showRecoveryCode } from "./new-recovery-code.js";
import { acceptedName, element, enableButtons, fieldValue, onSubmit, run } from "./page.js";
import { type ProvenIdentity, proveWithPasskey, proveWithRecoveryCode } from "./prove-identity.js";

const { accountId = "" } = element("account", HTMLElement).dataset;

async function showLock(): Promise<void> {
  const unlocked = (await keptUserKeys(accountId)) !== undefined;
  element("keys-unlocked", HTMLElement).hidden = !unlocked;
  element("keys-locked", HTMLElement).hidden = unlocked;
}

element("unlock", HTMLButtonElement).addEventListener("click", () => {
  run("Unlocking…", async () => {
    await unlockKeys(accountId);
    await showLock();
  });
});

/** A passkey that the server did not store because it was not available: sent again. */
let unfinished: MadePasskey | undefined;

async function makePasskey(name: string): Promise<MadePasskey | undefined> {
  const keys = await unlockKeys(accountId);
  if (keys === undefined) return undefined;
  const { passkey: options } = await callApi<{ readonly passkey: PublicKeyCredentialCreationOptionsJSON }>(
    "passkeys/begin",
    {},
  );
  return newPasskeyFor({ accountId, options, name, keys });
}

onSubmit("add-passkey", () => {
  const name = acceptedName(element("passkey-name", HTMLInputElement));
  if (name === undefined) return;
  run("Adding a passkey…", async () => {
    unfinished ??= await makePasskey(name);
    if (unfinished === undefined) return;
    const passkey = { ...unfinished, name };
    try {
      await sendPasskey(() => callApi("passkeys/finish", passkey));
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.isFinal) unfinished = undefined;
      throw thrown;
    }
    location.reload();
  });
});

element("replace-recovery-code", HTMLButtonElement).addEventListener("click", () => {
  run("Creating a recovery code…", async () => {
    const keys = await unlockKeys(accountId);
    if (keys === undefined) return;
    const { printed, recovery } = await newRecoveryCode(accountId, keys);
    await callApi("recovery-code/begin", { recovery });
    element("account-details", HTMLElement).hidden = true;
    showRecoveryCode({ printed, confirm: () => callApi("recovery-code/finish", {}), next: "/account", canWait: true });
  });
});

// A passkey of an earlier visit, which was reloaded before the server had stored it.
const listed = Array.from(document.querySelectorAll("[data-passkey-id]"), (entry) =>
  entry.getAttribute("data-passkey-id"),
);
await forgetUnfinishedPasskey(listed);
enableButtons();
await showLock();

/**
 * Asks the person to sign in again, in a dialog, with a proof that unlocks their keys. Resolves with the serialized keys; undefined
 * when the person cancels.
 */
function unlockKeys(accountId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
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
