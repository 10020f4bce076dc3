import { forgetUserKeys, keepsUserKeys } from "./kept-keys.js";
import { element, enableButtons, fieldValue, onSubmit, run } from "./page.js";
import { proveWithPasskey, proveWithRecoveryCode } from "./prove-identity.js";
import { onReport, reportSessionMaybeEnded } from "./session-channel.js";

const { next = "/console", again, locked } = element("sign-in", HTMLElement).dataset;

async function goOn(): Promise<void> {
  // Pages of somebody else, who was signed in here before, must not stay open.
  reportSessionMaybeEnded();
  location.assign(next);
  // The page stays busy until the browser has left it.
  await new Promise(() => {});
}

// A person who confirms their recovery code is not offered a passkey.
document.querySelector("#use-passkey")?.addEventListener("click", () => {
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

// Another page has unlocked the browser: this one is not needed any more.
if (locked === "yes") {
  onReport({
    check: () => void keepsUserKeys().then((unlocked) => unlocked && location.assign(next)),
    lock: () => {},
  });
}

if (again !== "yes") {
  // The session has ended: the next person at this browser must not have the keys of the one before, nor see their pages.
  reportSessionMaybeEnded();
  await forgetUserKeys();
}
