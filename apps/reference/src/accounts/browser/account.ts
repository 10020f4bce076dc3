import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { callApi } from "./api.js";
import { keptUserKeys } from "./kept-keys.js";
import { newPasskeyFor } from "./new-passkey.js";
import { newRecoveryCode, showRecoveryCode } from "./new-recovery-code.js";
import { element, enableButtons, fieldValue, onSubmit, run } from "./page.js";
import { unlockKeys } from "./unlock-dialog.js";

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

onSubmit("add-passkey", (form) => {
  run("Adding a passkey…", async () => {
    const keys = await unlockKeys(accountId);
    if (keys === undefined) return;
    const { passkey: options } = await callApi<{ readonly passkey: PublicKeyCredentialCreationOptionsJSON }>(
      "passkeys/begin",
      {},
    );
    const added = await newPasskeyFor({ accountId, options, name: fieldValue(form, "name"), keys });
    await callApi("passkeys/finish", added);
    location.reload();
  });
});

element("replace-recovery-code", HTMLButtonElement).addEventListener("click", () => {
  run("Creating a new recovery code…", async () => {
    const keys = await unlockKeys(accountId);
    if (keys === undefined) return;
    const { printed, recovery } = await newRecoveryCode(accountId, keys);
    await callApi("recovery-code", { recovery });
    element("account-details", HTMLElement).hidden = true;
    showRecoveryCode(printed).then(() => location.reload());
  });
});

enableButtons();
await showLock();
