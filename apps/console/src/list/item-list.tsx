import { type KeyboardEvent, useCallback, useEffect, useRef } from "react";
import type { Selection } from "../bulk/selection.js";
import { moveFocus } from "../elements/row-focus.js";
import type { ItemRow } from "../items/item-rows.js";
import { ListRow } from "./list-row.js";

import { rowHeight, useVisibleRows } from "./use-visible-rows.js";

export interface ItemListProps {
  readonly rows: readonly ItemRow[];
  /** The key of the item that is open. */
  readonly openKey: string | undefined;
  readonly selection: Selection;
  readonly canSelect: (row: ItemRow) => boolean;
  /** Selects or deselects an item, or with Shift all items up to it. */
  readonly onSelect: (row: ItemRow, shift: boolean) => void;
}

/** The list of the items. Only the rows near the visible ones are elements. */
export function ItemList({ rows, openKey, selection, canSelect, onSelect }: ItemListProps) {
  const scrolled = useRef<HTMLDivElement>(null);
  const { first, end } = useVisibleRows(scrolled);
  const paddingTop = Math.min(first, rows.length) * rowHeight;
  const paddingBottom = Math.max(0, rows.length - end) * rowHeight;
  // Always the same function, so that scrolling renders only the rows that appear.
  const latest = useRef(onSelect);
  useEffect(() => {
    latest.current = onSelect;
  }, [onSelect]);
  const select = useCallback((row: ItemRow, shift: boolean) => latest.current(row, shift), []);
  return (
    <div className="items" ref={scrolled}>
      <ul aria-label="Items" style={{ paddingTop, paddingBottom }} onKeyDown={onArrow}>
        {rows.slice(first, end).map((row, index) => (
          <ListRow
            key={row.key}
            row={row}
            position={first + index + 1}
            count={rows.length}
            open={row.key === openKey}
            anyOpen={openKey !== undefined}
            selected={selection.has(row.key)}
            onSelect={canSelect(row) ? select : undefined}
          />
        ))}
      </ul>
    </div>
  );
}

function onArrow(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (moveFocus(event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
}
