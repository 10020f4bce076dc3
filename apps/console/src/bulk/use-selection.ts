import { useState } from "react";
import type { ItemRow } from "../items/item-rows.js";
import { emptySelection, type Selection, selectAll, selectRange, toggle } from "./selection.js";

/** The selected items, and how the person changes them. */
export interface SelectionState {
  readonly selection: Selection;
  /** Selects or deselects an item, or with Shift all items from the last one up to it. */
  select(row: ItemRow, shift: boolean): void;
  /** Does the same for the row that has the focus. */
  selectFocused(shift: boolean): void;
  /** Selects all rows, or none. */
  selectAll(on: boolean): void;
}

/** Keeps a selection. @param rows the rows of the table, in their order */
export function useSelection(rows: readonly ItemRow[]): SelectionState {
  const [selection, setSelection] = useState(emptySelection);
  const [last, setLast] = useState<string>();
  const select = (row: ItemRow, shift: boolean) => {
    setSelection(shift ? selectRange(selection, rows, { fromId: last, to: row }) : toggle(selection, row));
    setLast(row.item.itemId);
  };
  return {
    selection,
    select,
    selectFocused(shift) {
      const focused = document.activeElement?.closest("[data-item]")?.getAttribute("data-item");
      const row = rows.find(({ item }) => item.itemId === focused);
      if (row !== undefined) select(row, shift);
    },
    selectAll: (on) => setSelection(on ? selectAll(selection, rows) : emptySelection),
  };
}
