import { cursorMessage, type Item, itemMessage, wholeItem } from "@platform-rpc/server/host";

export const path = "/platform.v1.VaultService/DeleteItem";

/** A tombstone whose DeleteItem response is about 1.3 kB. The items of all benchmarks have its content. */
export const fixtureItem: Item = {
  tenantId: "tenant-1",
  vaultId: "vault-0",
  itemId: "item-0",
  version: 2,
  kind: "login",
  titleHash: "t".repeat(43),
  updatedAt: 1_790_000_000_123,
  encryptedPayload: {
    alg: "A256GCM",
    nonce: "n".repeat(16),
    aad: "a".repeat(64),
    ciphertext: "c".repeat(384),
    version: 1,
  },
  wrappedKeys: [
    { recipientId: "user-1", wrapAlg: "ECDH-ES+A256KW", wrappedKey: "w".repeat(180) },
    { recipientId: "user-2", wrapAlg: "ECDH-ES+A256KW", wrappedKey: "w".repeat(180) },
  ],
  state: "deleted",
  shredAt: 1_792_592_000_123,
  sequence: 7,
};

const { shredAt, state, sequence, updatedAt, ...fields } = fixtureItem;

/** Returns the response for an item, as plain data that `JSON.stringify` serializes. */
export function fixtureResponse(itemId: string) {
  return {
    item: { ...fields, itemId, updatedAt: "2026-09-21T14:13:20.123Z", deleted: true },
    cursor: { vaultId: fields.vaultId, sequence },
  };
}

const { kind, titleHash, encryptedPayload, wrappedKeys, ...status } = fixtureItem;
const content = wholeItem({ ...status, content: () => ({ kind, titleHash, encryptedPayload, wrappedKeys }) });

/** Returns an item as a storage has it: its content is JSON already. */
export function storedItem(itemId: string): Parameters<typeof wholeItem>[0] {
  return { ...status, itemId, content: () => content };
}

/** Returns the response for an item as a message. */
export function fixtureMessage(itemId: string) {
  return { item: itemMessage(wholeItem(storedItem(itemId))), cursor: cursorMessage(status.vaultId, status.sequence) };
}
