import type { Item } from "@platform-rpc/types";
import type { Content } from "./open-content.js";

/** An item, as a row of the table. */
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

/** Returns the rows that the person wants to see, ordered by title. */
export function wantedRows(rows: readonly ItemRow[], { search, deleted }: Wanted): readonly ItemRow[] {
  const text = search.trim().toLocaleLowerCase();
  return rows
    .filter(({ item, title }) => {
      if (item.deleted && !deleted) return false;
      return `${title}\n${item.kind}`.toLocaleLowerCase().includes(text);
    })
    .sort(
      (one, other) => collator.compare(one.title, other.title) || collator.compare(one.item.itemId, other.item.itemId),
    );
}
