import type { ItemRow } from "./item-rows.js";

/** Returns whether an item may have earlier contents: it was changed, or it is what an item that was changed has moved to. */
export function mayHaveHistory({ item, content }: Pick<ItemRow, "item" | "content">): boolean {
  return item.version > 1 || content?.revision?.replaces !== undefined;
}
