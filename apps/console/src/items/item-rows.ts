import type { Item } from "@platform-rpc/types";
import type { Content } from "./open-content.js";

export interface ItemRow {
  readonly item: Item;
  /** Undefined until it is decrypted. */
  readonly content: Content | undefined;
  /** The title, or what is shown instead. */
  readonly title: string;
}

/** What the person wants to see. */
export interface Wanted {
  /** Text that the title or kind contains, whatever its case. */
  readonly search: string;
  readonly deleted: boolean;
}

/** Returns a row of the table. */
export function rowOf(item: Item, content: Content | undefined): ItemRow {
  const title = content === undefined ? "Decrypting…" : (content.title ?? `Closed item ${item.itemId}`);
  return { item, content, title };
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Returns the rows that the person wants to see. */
export function wantedRows(rows: readonly ItemRow[], { search, deleted }: Wanted): readonly ItemRow[] {
  const text = search.trim().toLocaleLowerCase();
  return rows.filter(({ item, title }) => {
    if (item.deleted && !deleted) return false;
    return text === "" || `${title}\n${item.kind}`.toLocaleLowerCase().includes(text);
  });
}

/** Orders rows by title, those that are not decrypted yet last. */
export type RowOrder = (rows: readonly ItemRow[]) => readonly ItemRow[];

/** Creates an order for the rows of a vault. It is fast if few rows have changed since the last time. */
export function createRowOrder(): RowOrder {
  let last: readonly ItemRow[] = [];
  return (rows) => {
    const left = new Map<string, ItemRow>();
    const pending: ItemRow[] = [];
    for (const row of rows) {
      if (row.content === undefined) pending.push(row);
      else left.set(row.item.itemId, row);
    }
    const ordered: ItemRow[] = [];
    for (const { item, title } of last) {
      const row = left.get(item.itemId);
      if (row?.title !== title) continue;
      ordered.push(row);
      left.delete(item.itemId);
    }
    // Sorting is linear for a long ordered part that a short one follows.
    last = [...ordered, ...[...left.values()].sort(compareRows)].sort(compareRows);
    return [...last, ...pending];
  };
}

function compareRows(one: ItemRow, other: ItemRow): number {
  return collator.compare(one.title, other.title) || collator.compare(one.item.itemId, other.item.itemId);
}
