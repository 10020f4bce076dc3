import type { Item } from "@platform-rpc/types";
import type { ListChangesResponse } from "@platform-rpc/types-internal/accounts";

/** The copy of a vault in this browser, and the position up to which it is complete. */
export interface VaultCopy {
  readonly items: ReadonlyMap<string, Item>;
  readonly sequence: number;
}

export const emptyCopy: VaultCopy = { items: new Map(), sequence: 0 };

/** Adds a page of changes. */
export function addPage({ items }: VaultCopy, { changes, cursor }: Page): VaultCopy {
  if (cursor === undefined) throw new TypeError("The response has no cursor.");
  const { sequence } = cursor;
  return { items: changes.reduce((copied, { item }) => withItem(copied, item), new Map(items)), sequence };
}

/**
 * Adds the items of responses that are not pages, such as deletions'. The position stays: there may be changes before these that
 * the copy does not contain.
 */
export function addItems(copy: VaultCopy, items: readonly Item[]): VaultCopy {
  return { ...copy, items: items.reduce(withItem, new Map(copy.items)) };
}

type Page = Pick<ListChangesResponse, "changes" | "cursor">;

function withItem(items: Map<string, Item>, item: Item | undefined): Map<string, Item> {
  if (item !== undefined && item.version >= (items.get(item.itemId)?.version ?? 0)) items.set(item.itemId, item);
  return items;
}
