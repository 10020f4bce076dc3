import { browserSupportsWebAuthn } from "@simplewebauthn/browser";
import { parseRecoveryCode } from "../keys/recovery-code.js";
import { browserName } from "../sessions/browser-name.js";
import { lockSession } from "./api.js";
import { forgetUserKeys, keepsUserKeys } from "./kept-keys.js";
import { createPasskeyAdder } from "./new-passkey.js";
import { watchClipboard } from "./output/clipboard.js";
import { element, enableButtons, onSubmit, run, setTitle, showFieldError } from "./page.js";
import { createPasskeySuggestions } from "./passkey-suggestions.js";
import { type ProvenIdentity, proveWithPasskey, proveWithRecoveryCode, unlockedKeys } from "./prove-identity.js";
import { onReport, report } from "./session-channel.js";

/** `locked`: what is locked: the session at the server, only this browser, or nothing. */
const { next = "/console", again, locked = "" } = element("sign-in", HTMLElement).dataset;

// What was copied before the person signed out, or was locked.
watchClipboard();

let leaving = false;

async function goOn(): Promise<void> {
  // A navigation that begins again would end the first one.
  if (leaving) return;
  leaving = true;
  // Pages of somebody else, who was signed in here before, must not stay open.
  report("check");
  location.assign(next);
  // The page stays busy until the browser has left it.
  await new Promise(() => {});
}

const signingIn = "Signing in…";
/** Undefined if the page has no field for passkeys: of a person who is signed in, the passkeys of others are no use. */
const suggested = document.getElementById("suggested-passkeys");
const suggestions = suggested && createPasskeySuggestions(suggested, (finish) => signIn(signingIn, finish));

function signIn(
  doing: string,
  prove: () => Promise<ProvenIdentity>,
  then: (proven: ProvenIdentity) => Promise<void> = goOn,
): void {
  void run(doing, async () => {
    await suggestions?.stop();
    try {
      const proven = await prove();
      if (locked !== "") unlockedKeys(proven);
      await then(proven);
    } catch (thrown) {
      if (locked !== "") unfoldRecoveryCode();
      void suggestions?.start();
      throw thrown;
    }
  });
}

/** How long the page keeps the keys for another passkey, in milliseconds. After that, the server asks for a new proof. */
const offeredMs = 5 * 60_000;

/** Offers to add a passkey on this device to a person who has signed in with their recovery code. */
async function offerPasskey({ accountId, keys }: ProvenIdentity): Promise<void> {
  if (again === "yes" || keys === undefined || !browserSupportsWebAuthn()) return goOn();
  const { add } = createPasskeyAdder(accountId);
  element("add-passkey", HTMLButtonElement).onclick = () => {
    void run("Waiting for your passkey…", async () => {
      await add(browserName(navigator.userAgent), keys);
      await goOn();
    });
  };
  element("add-passkey-later", HTMLButtonElement).onclick = () => void goOn();
  setTimeout(() => void goOn(), offeredMs);
  onReport({ check: () => {}, lock: () => void goOn() });
  report("check");
  element("proof", HTMLElement).hidden = true;
  element("offered-passkey", HTMLElement).hidden = false;
  setTitle("Add a passkey to this device");
}

// A person who confirms their recovery code is not offered a passkey.
if (document.getElementById("use-passkey") !== null) {
  onSubmit("use-passkey", () => signIn("Waiting for your passkey…", () => proveWithPasskey(again === "yes")));
}

onSubmit("use-recovery-code", () => {
  const field = element("recovery-code", HTMLInputElement);
  const parsed = parseRecoveryCode(field.value);
  showFieldError(field, parsed.ok ? undefined : parsed.message);
  if (parsed.ok) signIn(signingIn, () => proveWithRecoveryCode(field.value, again === "yes"), offerPasskey);
});

function unfoldRecoveryCode(): void {
  document.querySelector("details")?.setAttribute("open", "");
}

if (!browserSupportsWebAuthn()) unfoldRecoveryCode();

/** Goes on if another page has unlocked the browser: this one is not needed any more. */
async function goOnIfUnlocked(): Promise<void> {
  if (await keepsUserKeys().catch(() => false)) await goOn();
}

if (locked !== "") onReport({ check: () => void goOnIfUnlocked(), lock: () => {} });
if (locked === "browser") {
  await goOnIfUnlocked();
  await lockSession();
}
// The session has ended, or is locked: the next person at this browser must not have the keys of the one before, nor see their pages. A
// browser that stores nothing says so when the person signs in.
if (again !== "yes" || locked !== "") await forgetUserKeys().catch(() => undefined);
enableButtons();
if (again !== "yes") {
  report("check");
  await suggestions?.start();
}
