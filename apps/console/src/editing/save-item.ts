import { createClient, type Transport } from "@connectrpc/connect";
import type { Item } from "@platform-rpc/types";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "../vaults/own-vault.js";
import { sealWritten, type WrittenItem } from "./seal-written.js";

/**
 * Encrypts an item for the key of its vault, signs it, and stores it. Resolves with the stored item.
 *
 * @throws VERSION_CONFLICT if the item has another version than the one that is replaced
 */
export async function saveItem(
  { tenantId, principalId, keys }: ConsoleSession,
  member: Transport,
  { vaultId, key }: OwnVault,
  written: WrittenItem,
): Promise<Item> {
  const sealed = await sealWritten({ tenantId, principalId, keys, vaultId, key }, written);
  const { item } = await createClient(MemberVaultService, member).putItem({ vaultId, ...sealed });
  if (item === undefined) throw new TypeError("The response contains no item.");
  return item;
}
