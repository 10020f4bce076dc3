import { writeContent } from "@platform-rpc/items/item-content";
import type { WrittenItem } from "../editing/seal-written.js";
import type { ImportedItem } from "../import-formats/format.js";

/** What one call of PutItems can have: 100 items, and 1 MiB. */
const most = { items: 100, bytes: 1_000_000 } as const;

/** What an item has besides its text, in bytes, at most: ids, wrapped key, hash, header and signature. */
const besidesText = 1_500;

/** Gives each item an id, and writes its text. */
export function writtenItems(items: readonly ImportedItem[]): readonly WrittenItem[] {
  return items.map(({ kind, content }) => ({
    itemId: crypto.randomUUID(),
    baseVersion: 0,
    kind,
    title: content.title,
    text: writeContent(content),
  }));
}

/** Divides items into as few calls as their number and their sizes allow. */
export function batchesOf(items: readonly WrittenItem[]): readonly (readonly WrittenItem[])[] {
  const batches: WrittenItem[][] = [];
  let left = 0;
  for (const item of items) {
    const bytes = besidesText + Math.ceil((new TextEncoder().encode(item.text).byteLength * 4) / 3);
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === most.items || bytes > left) {
      batches.push([item]);
      left = most.bytes - bytes;
    } else {
      batch.push(item);
      left -= bytes;
    }
  }
  return batches;
}

/** Divides ids into as few calls of DeleteItems as possible. */
export function idBatchesOf(itemIds: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(itemIds.length / most.items);
  return Array.from({ length: count }, (_, index) => itemIds.slice(index * most.items, (index + 1) * most.items));
}
