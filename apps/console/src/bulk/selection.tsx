import { useState } from "react";
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

/** The selected items, and how the person changes them. */
interface SelectionState {
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

/** Returns the number of items in words, such as "1 item". */
export function countOf({ length }: { readonly length: number }): string {
  return `${length} ${length === 1 ? "item" : "items"}`;
}

interface SelectionBarProps {
  readonly selection: Selection;
  readonly rows: readonly ItemRow[];
  /** Whether items are being deleted. */
  readonly busy: boolean;
  readonly onDelete: () => void;
  readonly onClear: () => void;
}

/** Says what is selected, and offers to delete it. Always there, so that the table does not move when the first item is selected. */
export function SelectionBar({ selection, rows, busy, onDelete, onClear }: SelectionBarProps) {
  const { size } = selection;
  const hidden = size - rows.filter(({ item }) => selection.has(item.itemId)).length;
  return (
    <div className="actions">
      <button type="button" disabled={busy || size === 0} onClick={onDelete}>
        Delete {size === 0 ? "items" : countOf({ length: size })}
      </button>
      <button type="button" disabled={size === 0} onClick={onClear}>
        Clear selection
      </button>
      <span className="hint">
        {size} of {rows.length} selected{hidden > 0 && `, ${hidden} of them not shown`}
      </span>
    </div>
  );
}
