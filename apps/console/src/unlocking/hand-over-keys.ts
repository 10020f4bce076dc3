import { type ListedCertificates, removedKeys } from "@platform-rpc/accounts/browser/certified-programs";
import { encodeBase64url } from "@platform-rpc/items/base64url";
import { handOver } from "@platform-rpc/items/unlock/hand-over";
import {
  canBeUnlockCode,
  isUnlockCode,
  personCode,
  type UnlockRequest,
  unlockCode,
} from "@platform-rpc/items/unlock/unlock-code";
import { openKeyOf } from "@platform-rpc/items/vault/vault-key";
import { callAccount } from "../session/call-account.js";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "../vaults/own-vault.js";

/** Returns why a typed code is not that of a request, as a sentence for people. */
export async function problemOf(typed: string, request: UnlockRequest): Promise<string | undefined> {
  if (!canBeUnlockCode(typed)) return "Type all 16 characters that your terminal shows.";
  if (isUnlockCode(await unlockCode(request), typed)) return undefined;
  return "This is not the code of the request that arrived here, and nothing was handed over. Compare it with your terminal. If you have typed it right, somebody may have exchanged the keys of the program: press Ctrl+C there, and do not try again in this network.";
}

/**
 * Hands the keys of vaults to a program, and certifies its signing key. The person has compared the code. The person's own keys never leave
 * the browser. Returns the code with which the program checks that the keys come from this browser.
 *
 * @param vaults those whose keys the person can open
 */
export async function handOverKeys(
  request: UnlockRequest,
  { principalId, keys }: ConsoleSession,
  vaults: readonly OwnVault[],
): Promise<string> {
  const { member } = keys;
  const { removed: listed } = await callAccount<ListedCertificates>("certificates");
  const removed = await removedKeys(listed, request, member.verificationKey);
  const opened = vaults.map(async ({ vaultId, key }) => {
    const vaultKey = await openKeyOf({ vaultId, key, boundTo: principalId, wrappingKey: member.wrappingKey });
    return { vaultId, keyId: key?.keyId ?? "", epoch: key?.epoch ?? 0, vaultKey };
  });
  const handedOver = await handOver(request, {
    personKey: member.signingKey,
    vaults: await Promise.all(opened),
    removed,
  });
  await callAccount(`unlocks/${encodeURIComponent(request.unlockId)}`, handedOver);
  const personKey = new Uint8Array(await crypto.subtle.exportKey("raw", member.verificationKey));
  return personCode(request, encodeBase64url(personKey));
}
