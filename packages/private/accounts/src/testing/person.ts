import { ownCall } from "../http/own-call.js";
import { generateRecoveryCode, printRecoveryCode } from "../keys/recovery-code.js";
import { deriveRecoveryKeys, signRecoveryChallenge } from "../keys/recovery-keys.js";
import { wrapUserKeys } from "../keys/wrap-user-keys.js";
import { createAccountStore } from "../people/account-store.js";
import { type AccountsSite, openSite } from "./accounts-site.js";
import type { SiteBrowser } from "./site-browser.js";
import { createSoftwarePasskey, type PasskeyChanges } from "./software-passkey.js";

const keys = new TextEncoder().encode("private keys");

export interface Begun {
  readonly accountId: string;
  readonly challenge: string;
  readonly passkey: { readonly challenge: string; readonly user: { readonly id: string } };
}

/** Makes what the server keeps of a new recovery code. */
export async function makeRecovery(accountId: string) {
  const code = generateRecoveryCode();
  const recoveryKeys = await deriveRecoveryKeys(code);
  const { locator, signInPublicKey, wrappingSecret } = recoveryKeys;
  const wrappedKeys = await wrapUserKeys(keys, wrappingSecret, { accountId, purpose: "recovery code" });
  return { printed: printRecoveryCode(code), recoveryKeys, recovery: { locator, signInPublicKey, wrappedKeys } };
}

/** Signs a person up in a new browser, with a passkey that unlocks their keys and no recovery code, as the script of the page does. */
export async function signUpWithoutCode(site: AccountsSite) {
  const browser = site.openBrowser();
  const { accountId, passkey: options } = await begin(browser, "sign-up", { displayName: "Ada" });
  const passkey = createSoftwarePasskey(browser.origin);
  const wrappedKeys = await wrapUserKeys(keys, new Uint8Array(32), { accountId, purpose: "passkey" });
  const json = { passkey: { response: passkey.create(options), name: "Laptop", wrappedKeys } };
  const { status, body } = await browser.send("/account/api/sign-up/finish", { json });
  if (status !== 200) throw new Error(`sign-up failed: ${JSON.stringify(body)}`);
  return { accountId, browser, passkey };
}

/** Signs a person up in a new browser, with a passkey and a recovery code. */
export async function signUpPerson(site: Pick<AccountsSite, "openBrowser">, browser = site.openBrowser()) {
  const begun = await begin(browser, "sign-up", { displayName: "Ada" });
  const { accountId } = begun;
  const passkey = createSoftwarePasskey(browser.origin);
  const { recovery, recoveryKeys } = await makeRecovery(accountId);
  const wrappedKeys = await wrapUserKeys(keys, new Uint8Array(32), { accountId, purpose: "passkey" });
  const json = { passkey: { response: passkey.create(begun.passkey), name: "Laptop", wrappedKeys }, recovery };
  const finished = await browser.send("/account/api/sign-up/finish", { json });
  if (finished.status !== 200) throw new Error(`sign-up failed: ${JSON.stringify(finished.body)}`);

  return {
    accountId,
    browser,
    passkey,
    recovery,
    recoveryKeys,
    wrappedKeys,
    /** Signs in with the passkey, with something changed. */
    async signIn(on = browser, changes: PasskeyChanges = {}, again = false) {
      const { passkey: options } = await begin(on, "sign-in", { again });
      const json = { how: "passkey", response: passkey.use(options, changes) };
      return on.send("/account/api/sign-in/finish", { json });
    },
    /** Signs in with the recovery code, with something changed. */
    async recover(on = browser, changes: { readonly locator?: string; readonly origin?: string } = {}) {
      const { challenge } = await begin(on, "sign-in", { again: false });
      const { locator, signInKey } = recoveryKeys;
      const signature = await signRecoveryChallenge(signInKey, { origin: changes.origin ?? browser.origin, challenge });
      const json = { how: "recovery code", locator: changes.locator ?? locator, signature };
      return on.send("/account/api/sign-in/finish", { json });
    },
  };
}

/** Opens a site on which a person has signed up. Its list of events begins after that. */
export async function openSiteOfPerson(changes: Parameters<typeof openSite>[0] = {}) {
  const site = await openSite(changes);
  const person = await signUpPerson(site);
  site.events.length = 0;
  return { site, person, browser: person.browser };
}

export type SignedUpPerson = Awaited<ReturnType<typeof signUpPerson>>;

export async function begin(browser: SiteBrowser, ceremony: string, json: object): Promise<Begun> {
  const { status, body } = await browser.send(`/account/api/${ceremony}/begin`, { json });
  if (status !== 200) throw new Error(`${ceremony} cannot begin: ${JSON.stringify(body)}`);
  return JSON.parse(JSON.stringify(body));
}

/** Makes a person confirm their recovery code, as a restore does that undid a change of it. */
export async function undoCodeChange(
  site: Pick<AccountsSite, "own" | "clock" | "secrets">,
  accountId: string,
): Promise<void> {
  const accounts = createAccountStore({ own: site.own, clock: site.clock, tenantId: "acme" });
  const call = ownCall("restore", site.secrets);
  const account = await accounts.find(accountId, call);
  if (account === undefined) throw new Error(`there is no account ${accountId}`);
  await accounts.replace(account, { mustConfirmCode: true }, {}, call);
}
