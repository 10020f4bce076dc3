import { callApi } from "./api.js";
import { newRecoveryCode, showRecoveryCode } from "./new-recovery-code.js";
import { element, run } from "./page.js";
import { proveWithPasskey, unlockedKeys } from "./prove-identity.js";

/** For a person whose recovery code is not accepted after a restore: a passkey that unlocks their keys makes another code. */
const { next = "/console" } = element("sign-in", HTMLElement).dataset;

element("replace-code", HTMLButtonElement).addEventListener("click", () => {
  run("Waiting for your passkey…", async () => {
    const proven = await proveWithPasskey(true);
    const { printed, recovery } = await newRecoveryCode(proven.accountId, unlockedKeys(proven));
    await callApi("recovery-code/begin", { recovery });
    element("confirm-code", HTMLElement).hidden = true;
    const confirm = () => callApi("recovery-code/finish", {});
    const loss =
      "The new code will not work, even if you wrote it down. This page makes another one when you come back.";
    showRecoveryCode({ printed, confirm, next, canWait: false, loss });
  });
});
