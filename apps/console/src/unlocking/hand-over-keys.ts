import { handOver } from "@platform-rpc/items/unlock/hand-over";
import { canBeUnlockCode, isUnlockCode, type UnlockRequest, unlockCode } from "@platform-rpc/items/unlock/unlock-code";
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
 * the browser.
 *
 * @param vaults those whose keys the person can open
 */
export async function handOverKeys(
  request: UnlockRequest,
  { principalId, keys }: ConsoleSession,
  vaults: readonly OwnVault[],
): Promise<void> {
  const { member } = keys;
  const opened = vaults.map(async ({ vaultId, key }) => {
    const vaultKey = await openKeyOf({ vaultId, key, boundTo: principalId, wrappingKey: member.wrappingKey });
    return { vaultId, keyId: key?.keyId ?? "", epoch: key?.epoch ?? 0, vaultKey };
  });
  const handedOver = await handOver(request, { personKey: member.signingKey, vaults: await Promise.all(opened) });
  await callAccount(`unlocks/${encodeURIComponent(request.unlockId)}`, handedOver);
}

/** Returns the fingerprint of the person's signing key, which the program shows at its first unlock. */
export async function fingerprintOf(verificationKey: CryptoKey): Promise<string> {
  const raw = await crypto.subtle.exportKey("raw", verificationKey);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", raw));
  return `SHA256:${btoa(String.fromCharCode(...digest)).replace(/=+$/, "")}`;
}
