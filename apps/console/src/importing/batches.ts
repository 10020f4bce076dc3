import { writeContent } from "@platform-rpc/items/item-content";
import type { WrittenItem } from "@platform-rpc/items/vault/seal-item";
import { mostInCall } from "../bulk/divide.js";
import type { ImportedItem } from "../import-formats/format.js";
import { additionKey, type Change, contentOf } from "./duplicates.js";

/** What one call of PutItems can have besides that number of items: 1 MiB. */
const mostBytes = 1_000_000;

/** What an item has besides its text, in bytes, at most: ids, wrapped key, hash, header and signature. */
const besidesText = 1_500;

export function writtenItems(items: readonly ImportedItem[]): readonly WrittenItem[] {
  return items.map(({ kind, content }) => ({
    itemId: crypto.randomUUID(),
    baseVersion: 0,
    kind,
    title: content.title,
    text: writeContent(content),
  }));
}

/** Returns the changes of stored items, without the fields that the person leaves out, as they are written. */
export function writtenChanges(changes: readonly Change[], leftOut: ReadonlySet<string>): readonly WrittenItem[] {
  return changes
    .filter((change) => change.added.some((field) => !leftOut.has(additionKey(change, field))))
    .map((change) => {
      const { itemId, version: baseVersion, kind } = change.row.item;
      const content = contentOf(change, leftOut);
      const replaces = change.row.content?.revision;
      return { itemId, baseVersion, kind, title: content.title, text: writeContent(content), replaces };
    });
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
