import { createClient, type Transport } from "@connectrpc/connect";
import { openKeyOf } from "@platform-rpc/accounts/keys/vault-keys";
import { sealItem, titleHash } from "@platform-rpc/client/crypto";
import type { Item } from "@platform-rpc/types";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import type { ConsoleSession } from "../session/session.js";
import type { OwnVault } from "../vaults/own-vault.js";

/** What a person has written, and the version that it replaces: 0 for a new item. */
export interface WrittenItem {
  readonly itemId: string;
  readonly baseVersion: number;
  readonly kind: string;
  readonly title: string;
  /** The plaintext. */
  readonly text: string;
}

/**
 * Encrypts an item for the key of its vault, signs it, and stores it. Resolves with the stored item.
 *
 * @throws VERSION_CONFLICT if the item has another version than the one that is replaced
 */
export async function saveItem(
  { tenantId, principalId, keys }: ConsoleSession,
  member: Transport,
  { vaultId, key }: OwnVault,
  { itemId, baseVersion, kind, title, text }: WrittenItem,
): Promise<Item> {
  const memberKeys = keys?.member;
  if (key === undefined || memberKeys === undefined) throw new Error("Unlock your keys first.");
  const vaultKey = await openKeyOf({ vaultId, principalId, member: memberKeys, key });
  const sealed = await sealItem({
    place: { tenantId, vaultId, itemId, version: baseVersion + 1 },
    kind,
    titleHash: await titleHash(vaultKey, title),
    plaintext: new TextEncoder().encode(text),
    recipients: [{ recipientId: key.keyId, vaultKey }],
    writer: { writerId: principalId, privateKey: memberKeys.signingKey },
  });
  const content = { ...sealed, wrappedKeys: [...sealed.wrappedKeys] };
  const { item } = await createClient(MemberVaultService, member).putItem({ vaultId, itemId, baseVersion, ...content });
  if (item === undefined) throw new TypeError("The response contains no item.");
  return item;
}
