import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Cursor, Item as ItemMessage } from "@platform-rpc/types";
import type { Item } from "../domain/model/item.js";

/** Converts an item to its message. Sets every field, also empty ones. */
export function itemMessage(item: Item): ItemMessage {
  const { alg, nonce, aad, ciphertext, version } = item.encryptedPayload;
  return {
    $typeName: "platform.v1.Item",
    itemId: item.itemId,
    tenantId: item.tenantId,
    vaultId: item.vaultId,
    version: item.version,
    kind: item.kind,
    titleHash: item.titleHash,
    updatedAt: timestampFromMs(item.updatedAt),
    encryptedPayload: { $typeName: "platform.v1.EncryptedPayload", alg, nonce, aad, ciphertext, version },
    wrappedKeys: item.wrappedKeys.map(({ recipientId, wrapAlg, wrappedKey }) => ({
      $typeName: "platform.v1.WrappedKey",
      recipientId,
      wrapAlg,
      wrappedKey,
    })),
    deleted: item.state !== "live",
  };
}

/** Converts a position in a vault's history to its message. */
export function cursorMessage(vaultId: string, sequence: number): Cursor {
  return { $typeName: "platform.v1.Cursor", vaultId, sequence };
}
