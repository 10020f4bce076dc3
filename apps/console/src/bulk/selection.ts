import { useState } from "react";
import { focusedKey, focusRow } from "../elements/row-focus.js";
import type { ItemRow } from "../items/item-rows.js";

/** The selected items by their keys, each as it was when it was selected: a deletion or restoration names that version. */
export type Selection = ReadonlyMap<string, ItemRow>;

/** What the person is asked about before it is done, and with which items. */
export interface Asked {
  readonly what: "delete" | "move" | "tag" | "export";
  readonly rows: readonly ItemRow[];
}

export const emptySelection: Selection = new Map();

/** Returns whether an item can be selected: it is open. What a person cannot read, they decide about one by one. */
export function isSelectable({ content }: ItemRow): boolean {
  return content !== undefined && content.closed === undefined;
}

export function toggle(selection: Selection, row: ItemRow): Selection {
  const changed = new Map(selection);
  if (!changed.delete(row.key)) add(changed, row);
  return changed;
}

/** Selects the rows between two rows, with both, in either direction. Selects only `to` if no row has the key `fromKey`. */
export function selectRange(
  selection: Selection,
  rows: readonly ItemRow[],
  { fromKey, to }: { readonly fromKey: string | undefined; readonly to: ItemRow },
): Selection {
  const last = rows.findIndex(({ key }) => key === to.key);
  const found = rows.findIndex(({ key }) => key === fromKey);
  const first = found < 0 ? last : found;
  return selectAll(selection, rows.slice(Math.min(first, last), Math.max(first, last) + 1));
}

/** Selects all rows. Those that were selected before keep their version. */
export function selectAll(selection: Selection, rows: readonly ItemRow[]): Selection {
  const changed = new Map(selection);
  for (const row of rows) if (!changed.has(row.key)) add(changed, row);
  return changed;
}

function add(selection: Map<string, ItemRow>, row: ItemRow): void {
  if (isSelectable(row)) selection.set(row.key, row);
}

export function useSelection(rows: readonly ItemRow[]) {
  const [selection, setSelection] = useState(emptySelection);
  const [last, setLast] = useState<string>();
  /** Selects or deselects an item, or with Shift all items from the last one up to it. */
  const select = (row: ItemRow, shift: boolean) => {
    setSelection(shift ? selectRange(selection, rows, { fromKey: last, to: row }) : toggle(selection, row));
    setLast(row.key);
  };
  return {
    selection,
    select,
    selectFocused(shift: boolean) {
      const focused = focusedKey();
      const row = rows.find(({ key }) => key === focused);
      if (row !== undefined) select(row, shift);
    },
    selectAll(on: boolean) {
      setSelection(on ? selectAll(selection, rows) : emptySelection);
      // Without a selection, its buttons are gone.
      if (!on && last !== undefined && document.activeElement?.closest(".selection")) focusRow(last);
    },
  };
}
