import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { parseRecoveryCode } from "../keys/recovery-code.js";
import { forgetUserKeys, keepsUserKeys } from "./kept-keys.js";
import { element, enableButtons, onSubmit, run, showFieldError } from "./page.js";
import { createPasskeySuggestions } from "./passkey-suggestions.js";
import { type ProvenIdentity, proveWithPasskey, proveWithRecoveryCode } from "./prove-identity.js";
import { onReport, reportSessionMaybeEnded } from "./session-channel.js";

const { next = "/console", again, locked } = element("sign-in", HTMLElement).dataset;

let leaving = false;

async function goOn(): Promise<void> {
  // A navigation that begins again would end the first one.
  if (leaving) return;
  leaving = true;
  // Pages of somebody else, who was signed in here before, must not stay open.
  reportSessionMaybeEnded();
  location.assign(next);
  // The page stays busy until the browser has left it.
  await new Promise(() => {});
}

const signingIn = "Signing in…";
/** Undefined if the page has no field for passkeys: of a person who is signed in, the passkeys of others are no use. */
const suggested = document.getElementById("suggested-passkeys");
const suggestions = suggested && createPasskeySuggestions(suggested, (finish) => signIn(signingIn, finish));

function signIn(doing: string, prove: () => Promise<ProvenIdentity>): void {
  void run(doing, async () => {
    await suggestions?.stop();
    try {
      await prove();
    } catch (thrown) {
      void suggestions?.start();
      throw thrown;
    }
    await goOn();
  });
}

// A person who confirms their recovery code is not offered a passkey.
if (document.getElementById("use-passkey") !== null) {
  onSubmit("use-passkey", () => signIn("Waiting for your passkey…", () => proveWithPasskey(again === "yes")));
}

onSubmit("use-recovery-code", () => {
  const field = element("recovery-code", HTMLInputElement);
  const parsed = parseRecoveryCode(field.value);
  showFieldError(field, parsed.ok ? undefined : parsed.message);
  if (parsed.ok) signIn(signingIn, () => proveWithRecoveryCode(field.value, again === "yes"));
});

if (!browserSupportsWebAuthn()) document.querySelector("details")?.setAttribute("open", "");
enableButtons();

// Another page has unlocked the browser: this one is not needed any more.
if (locked === "yes") {
  onReport({
    check: () => void keepsUserKeys().then((unlocked) => (unlocked ? goOn() : undefined)),
    lock: () => {},
  });
}

if (again !== "yes") {
  // The session has ended: the next person at this browser must not have the keys of the one before, nor see their pages.
  reportSessionMaybeEnded();
  await forgetUserKeys();
  await suggestions?.start();
}
