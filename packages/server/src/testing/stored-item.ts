import type { Item, StoredItem } from "../domain/item.js";

/** Converts an item to its form in a snapshot. */
export function storedItem({ kind, titleHash, encryptedPayload, wrappedKeys, ...status }: Item): StoredItem {
  return { ...status, content: () => ({ kind, titleHash, encryptedPayload, wrappedKeys }) };
}

/** Converts an item to its form in a snapshot. Loading its content throws. */
export function sealedItem(item: Item): StoredItem {
  return {
    ...storedItem(item),
    content: () => {
      throw new Error("the content was loaded for an outcome that does not contain it");
    },
  };
}
