import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { generateUserKeys } from "../keys/user-keys.js";
import { browserName } from "../sessions/browser-name.js";
import { ApiError, callApi, forgetUnsentLock } from "./api.js";
import { forgetUnfinishedPasskey, type MadePasskey, newPasskeyFor, sendPasskey } from "./new-passkey.js";
import { newRecoveryCode, showRecoveryCode } from "./new-recovery-code.js";
import { watchClipboard } from "./output/clipboard.js";
import { acceptedName, element, enableButtons, onSubmit, run, showFieldError } from "./page.js";
import { replaceSession } from "./session-channel.js";
import { unlockBrowser } from "./unlock-browser.js";

interface Begun {
  readonly accountId: string;
  readonly passkey: PublicKeyCredentialCreationOptionsJSON;
}

interface NewAccount {
  readonly accountId: string;
  readonly keys: Uint8Array<ArrayBuffer>;
  readonly passkey: MadePasskey | undefined;
}

watchClipboard();

const { next = "/console" } = element("sign-up", HTMLElement).dataset;
const field = element("display-name", HTMLInputElement);
/** What the server did not store because it was not available: sent again, so that no passkey is created twice. */
let unfinished: NewAccount | undefined;

async function begin(displayName: string, withPasskey: boolean): Promise<NewAccount> {
  // Generating takes a while: at the same time.
  const generating = generateUserKeys();
  const { accountId, passkey: options } = await callApi<Begun>("sign-up/begin", { displayName });
  const keys = await generating;
  const name = browserName(navigator.userAgent);
  return {
    accountId,
    keys,
    passkey: withPasskey ? await newPasskeyFor({ accountId, options, name, keys }) : undefined,
  };
}

/**
 * Creates the account as soon as something unlocks its keys: at once with a passkey that does, otherwise when the person has stored the
 * recovery code. A page that is reloaded before that leaves nothing behind.
 */
async function signUp(displayName: string, withPasskey: boolean): Promise<void> {
  unfinished ??= await begin(displayName, withPasskey);
  const { accountId, keys, passkey } = unfinished;
  const { printed, recovery } = await newRecoveryCode(accountId, keys);
  const create = async (body: object) => {
    await replaceSession(async () => {
      await sendPasskey(() => callApi("sign-up/finish", body));
      forgetUnsentLock();
    });
    // The account is there. If the browser is not unlocked now, the vault asks for that.
    await unlockBrowser(accountId, keys).catch(() => undefined);
  };
  const canWait = passkey?.wrappedKeys !== undefined;
  if (canWait) {
    await create({ passkey });
    unfinished = undefined;
    // If the server is not available now, the page *Security* of the vault offers the code again.
    const begun = await callApi("recovery-code/begin", { recovery }).catch(() => undefined);
    if (begun === undefined) return location.assign(next);
  }
  element("sign-up", HTMLFormElement).hidden = true;
  const confirm = () => (canWait ? callApi("recovery-code/finish", {}) : create({ passkey, recovery }));
  const loss = canWait
    ? "This code will not work, even if you wrote it down. If you lose your passkey, you lose your items. You can create another code under Security."
    : "Your account is created once you have stored the code. If you leave now, no account is created, and this code does not work.";
  showRecoveryCode({ printed, displayName, confirm, next, canWait, loss });
}

onSubmit("sign-up", (_, button) => {
  const name = acceptedName(field);
  if (name === undefined) return;
  const withPasskey = button?.getAttribute("value") !== "no";
  run(withPasskey ? "Waiting for your passkey…" : "Creating your account…", async () => {
    try {
      await signUp(name, withPasskey);
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      if (thrown.isFinal) unfinished = undefined;
      // The server checks names with the same function, which may be a newer one.
      if (thrown.reason !== "NAME_NOT_ALLOWED") throw thrown;
      showFieldError(field, thrown.message);
    } finally {
      // The name belongs to the passkey that was created.
      field.readOnly = unfinished !== undefined;
    }
  });
});

// A passkey of an earlier visit, which was reloaded before the account was created.
await forgetUnfinishedPasskey();
enableButtons();
