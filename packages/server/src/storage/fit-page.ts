import type { Item } from "../domain/model/item.js";
import type { ChangePage, ChangeQuery } from "../ports/queries.js";

/** Takes from the items of a vault those that fit in a page, and reads only one more. */
export function fitPage(
  items: Iterable<Item>,
  { limit, maxBytes = Number.POSITIVE_INFINITY }: Pick<ChangeQuery, "limit" | "maxBytes">,
): Pick<ChangePage, "items" | "hasMore"> {
  const page: Item[] = [];
  // Serializing an item costs as much as reading it, and few pages are so long that it matters.
  let atMost = 0;
  let bytes: number | undefined;
  for (const item of items) {
    if (page.length === limit) return { items: page, hasMore: true };
    atMost += largestSize(item);
    if (atMost > maxBytes) {
      bytes = (bytes ?? page.reduce((sum, each) => sum + sizeOf(each), 0)) + sizeOf(item);
      if (bytes > maxBytes && page.length > 0) return { items: page, hasMore: true };
    }
    page.push(item);
  }
  return { items: page, hasMore: false };
}

function sizeOf(item: Item): number {
  return new TextEncoder().encode(JSON.stringify(item)).length;
}

/** Names, braces and numbers of an item's JSON, and of a wrapped key's. */
const around = { item: 512, key: 64 };

/** Returns a number that is not smaller than `sizeOf(item)`: a character has at most 6 bytes in JSON, such as "\u0000". */
function largestSize({ tenantId, vaultId, itemId, kind, titleHash, encryptedPayload, wrappedKeys }: Item): number {
  const { alg, nonce, aad, ciphertext } = encryptedPayload;
  const ids = tenantId.length + vaultId.length + itemId.length;
  const characters = ids + kind.length + titleHash.length + alg.length + nonce.length + aad.length + ciphertext.length;
  return wrappedKeys.reduce(
    (size, { recipientId, wrapAlg, wrappedKey }) =>
      size + around.key + 6 * (recipientId.length + wrapAlg.length + wrappedKey.length),
    around.item + 6 * characters,
  );
}
