import type { UnlockedKeys } from "@platform-rpc/accounts/keys/user-keys";
import { sealItem, type WrittenItem } from "@platform-rpc/items/vault/seal-item";
import type { OwnVault } from "../vaults/own-vault.js";

/** Who seals items, and for which vault. Everything in it can be sent to a worker. */
export interface Sealer extends Pick<OwnVault, "vaultId" | "key"> {
  readonly tenantId: string;
  readonly principalId: string;
  readonly keys: UnlockedKeys;
}

/** Encrypts an item for the key of its vault, and signs it. Resolves with what the request contains. */
export async function sealWritten({ tenantId, principalId, keys, vaultId, key }: Sealer, written: WrittenItem) {
  const { wrappingKey, signingKey } = keys.member;
  if (key === undefined) throw new Error("Nobody can write items in this vault, because it has no key.");
  const writer = { writerId: principalId, privateKey: signingKey };
  return sealItem({ tenantId, vaultId, key, boundTo: principalId, wrappingKey, writer }, written);
}
