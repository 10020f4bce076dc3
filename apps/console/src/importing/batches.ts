import { writeContent } from "@platform-rpc/items/item-content";
import { mostInCall } from "../bulk/divide.js";
import type { WrittenItem } from "../editing/seal-written.js";
import type { ImportedItem } from "../import-formats/format.js";

/** What one call of PutItems can have besides that number of items: 1 MiB. */
const mostBytes = 1_000_000;

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
    if (batch === undefined || batch.length === mostInCall || bytes > left) {
      batches.push([item]);
      left = mostBytes - bytes;
    } else {
      batch.push(item);
      left -= bytes;
    }
  }
  return batches;
}
