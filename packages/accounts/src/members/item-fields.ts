import { cursorMessage, type Item, type ItemContent, itemMessage } from "@platform-rpc/server/host";
import type { EncryptedPayload, WrappedKey } from "@platform-rpc/types";

interface ContentFields {
  readonly kind: string;
  readonly titleHash: string;
  readonly encryptedPayload?: EncryptedPayload | undefined;
  readonly wrappedKeys: readonly WrappedKey[];
}

/** The violation of a request for a new item at a version that only an existing item can have. */
export const itemIdRequired = { field: "itemId", description: "is required when baseVersion is above 0" };

/** Returns the content of an item in a request that satisfies the contract. */
export function contentIn({ kind, titleHash, encryptedPayload, wrappedKeys }: ContentFields): ItemContent {
  if (encryptedPayload === undefined) throw new TypeError("the contract requires encryptedPayload");
  const { alg, nonce, aad, ciphertext, version } = encryptedPayload;
  return {
    kind,
    titleHash,
    encryptedPayload: { alg, nonce, aad, ciphertext, version },
    wrappedKeys: wrappedKeys.map(({ recipientId, wrapAlg, wrappedKey }) => ({ recipientId, wrapAlg, wrappedKey })),
  };
}

/** Returns the fields of a response with an item and its position. */
export function itemWithCursor(item: Item) {
  return { item: itemMessage(item), cursor: cursorMessage(item.vaultId, item.sequence) };
}

/** Returns the fields of a response with one page of changes. */
export function changePage(vaultId: string, page: ChangePage) {
  return {
    changes: page.items.map((item) => ({ sequence: item.sequence, item: itemMessage(item) })),
    cursor: cursorMessage(vaultId, page.sequence),
    hasMore: page.hasMore,
  };
}

interface ChangePage {
  readonly items: readonly Item[];
  readonly sequence: number;
  readonly hasMore: boolean;
}
