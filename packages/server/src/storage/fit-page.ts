import { bytesAroundContent, contentJson, type Item, itemBytes } from "../domain/model/item.js";
import type { ChangePage, ChangeQuery } from "../ports/queries.js";

/** Takes from the items of a vault those that fit in a page, and reads only one more. */
export function fitPage(
  items: Iterable<Item>,
  { limit, maxBytes = Number.POSITIVE_INFINITY }: Pick<ChangeQuery, "limit" | "maxBytes">,
): Pick<ChangePage, "items" | "hasMore"> {
  const page: Item[] = [];
  // Few pages are so long that their exact size matters.
  let atMost = 0;
  let bytes: number | undefined;
  for (const item of items) {
    if (page.length === limit) return { items: page, hasMore: true };
    atMost += largestSize(item);
    if (atMost > maxBytes) {
      bytes = (bytes ?? page.reduce((sum, each) => sum + itemBytes(each), 0)) + itemBytes(item);
      if (bytes > maxBytes && page.length > 0) return { items: page, hasMore: true };
    }
    page.push(item);
  }
  return { items: page, hasMore: false };
}

/** Returns a number that is not smaller than the bytes of an item: a character has at most 3 in UTF-8. */
function largestSize(item: Item): number {
  return 3 * contentJson(item).length + bytesAroundContent;
}
