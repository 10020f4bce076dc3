import type { Item, StoredItem } from "../domain/item.js";

/** An item as a decision finds it in a snapshot. */
export function storedItem({ kind, titleHash, encryptedPayload, wrappedKeys, ...status }: Item): StoredItem {
  return { ...status, content: () => ({ kind, titleHash, encryptedPayload, wrappedKeys }) };
}

/** An item whose content no decision may ask for. */
export function sealedItem(item: Item): StoredItem {
  return {
    ...storedItem(item),
    content: () => {
      throw new Error("the content was loaded for an outcome that does not contain it");
    },
  };
}
