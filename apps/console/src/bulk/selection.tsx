import type { ItemRow } from "../items/item-rows.js";

/** The selected items by their ids, each as it was when it was selected: a deletion names that version. */
export type Selection = ReadonlyMap<string, ItemRow>;

export const emptySelection: Selection = new Map();

/** Selects an item, or deselects it. A deleted item cannot be selected. */
export function toggle(selection: Selection, row: ItemRow): Selection {
  const changed = new Map(selection);
  if (!changed.delete(row.item.itemId)) add(changed, row);
  return changed;
}

/** Selects the rows between two rows, with both, in either direction. Selects only `to` if no row has the id `fromId`. */
export function selectRange(
  selection: Selection,
  rows: readonly ItemRow[],
  { fromId, to }: { readonly fromId: string | undefined; readonly to: ItemRow },
): Selection {
  const last = rows.findIndex(({ item }) => item.itemId === to.item.itemId);
  const found = rows.findIndex(({ item }) => item.itemId === fromId);
  const first = found < 0 ? last : found;
  return selectAll(selection, rows.slice(Math.min(first, last), Math.max(first, last) + 1));
}

/** Selects all rows. Those that were selected before keep their version. */
export function selectAll(selection: Selection, rows: readonly ItemRow[]): Selection {
  const changed = new Map(selection);
  for (const row of rows) if (!changed.has(row.item.itemId)) add(changed, row);
  return changed;
}

function add(selection: Map<string, ItemRow>, row: ItemRow): void {
  if (!row.item.deleted) selection.set(row.item.itemId, row);
}
