import { forgetUserKeys } from "./kept-keys.js";
import { element, enableButtons, fieldValue, onSubmit, run } from "./page.js";
import { proveWithPasskey, proveWithRecoveryCode } from "./prove-identity.js";

const { next = "/account", again } = element("sign-in", HTMLElement).dataset;

async function goOn(): Promise<void> {
  location.assign(next);
  // The page stays busy until the browser has left it.
  await new Promise(() => {});
}

element("use-passkey", HTMLButtonElement).addEventListener("click", () => {
  run("Waiting for your passkey…", async () => {
    await proveWithPasskey(again === "yes");
    await goOn();
  });
});

onSubmit("use-recovery-code", (form) => {
  run("Signing in…", async () => {
    await proveWithRecoveryCode(fieldValue(form, "recoveryCode"), again === "yes");
    await goOn();
  });
});

enableButtons();

// The session has ended: the next person at this browser must not have the keys of the one before.
if (again !== "yes") await forgetUserKeys();
