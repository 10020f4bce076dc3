import { readFile } from "node:fs/promises";
import { ownCall } from "@platform-rpc/accounts/http/own-call";
import { generateRecoveryCode, parseRecoveryCode, printRecoveryCode } from "@platform-rpc/accounts/keys/recovery-code";
import { deriveRecoveryKeys } from "@platform-rpc/accounts/keys/recovery-keys";
import { unwrapUserKeys, wrapUserKeys } from "@platform-rpc/accounts/keys/wrap-user-keys";
import { createAccountStore } from "@platform-rpc/accounts/people/account-store";
import { replacePrivateFile } from "@platform-rpc/files";
import type { Clock, Platform } from "@platform-rpc/server";
import type { Secrets } from "@platform-rpc/server/host";
import { demoTenant } from "../settings/settings.js";
import { demoUser } from "./demo-files.js";

const place = { accountId: demoUser, purpose: "recovery code" } as const;

/**
 * Gives the demo user an account whose recovery code is in a file, and unlocks the keys of the demo. Does nothing if the code in the
 * file unlocks them already. Only for the demo: the codes of other people never leave their browsers.
 */
export async function setUpDemoAccount(deps: {
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly keys: Uint8Array<ArrayBuffer>;
  readonly file: string;
}): Promise<void> {
  const { operations: own, secrets, clock, keys, file } = deps;
  const call = ownCall("demo", secrets);
  const accounts = createAccountStore({ own, clock, tenantId: demoTenant });
  const found = await accounts.find(demoUser, call);
  const recovery = found?.value.recovery;
  const known = parseRecoveryCode(await readFile(file, "utf8").catch(() => ""));
  if (recovery !== undefined && known.ok) {
    const { locator, wrappingSecret } = await deriveRecoveryKeys(known.code);
    const unwrapping = unwrapUserKeys(recovery.wrappedKeys, wrappingSecret, place);
    const unwrapped = await unwrapping.catch(() => new Uint8Array());
    if (recovery.locator === locator && Buffer.compare(unwrapped, keys) === 0) return;
  }
  const code = generateRecoveryCode();
  const { locator, signInPublicKey, wrappingSecret } = await deriveRecoveryKeys(code);
  const wrappedKeys = await wrapUserKeys(keys, wrappingSecret, place);
  await replacePrivateFile(file, `${printRecoveryCode(code)}\n`);
  // Passkeys that unlock other keys are of no use.
  const made = { displayName: "Demo user", passkeys: [], recovery: { locator, signInPublicKey, wrappedKeys } };
  const events = [{ subject: `account:${demoUser}`, event: "recovery code replaced" }];
  // The demo's tenant has the personal vault already: a person who deletes the account leaves it behind.
  const done =
    found === undefined
      ? await accounts.create({ accountId: demoUser, ...made }, { personalVault: false }, call)
      : await accounts.replace(found, made, { events }, call);
  if (!done) throw new Error("the demo user's account was changed at the same time");
}
