import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useRef } from "react";
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
  readonly onOpen: (key: string) => void;
  /** Selects or deselects an item, or with Shift all items up to it. */
  readonly onSelect: (row: ItemRow, shift: boolean) => void;
}

/** The list of the items. Only the rows near the visible ones are elements. */
export function ItemList({ rows, openKey, selection, canSelect, onOpen, onSelect }: ItemListProps) {
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
  const follow = (event: MouseEvent) => {
    const key = followedKey(event);
    if (key === undefined) return;
    event.preventDefault();
    onOpen(key);
  };
  return (
    <div className="items" ref={scrolled}>
      <ul aria-label="Items" style={{ paddingTop, paddingBottom }} onKeyDown={onArrow} onClick={follow}>
        {rows.slice(first, end).map((row, index) => (
          <ListRow
            key={row.key}
            row={row}
            position={first + index + 1}
            count={rows.length}
            open={row.key === openKey}
            selected={selection.has(row.key)}
            onSelect={canSelect(row) ? select : undefined}
          />
        ))}
      </ul>
    </div>
  );
}

/** Returns the key of the item whose link is followed, unless it opens in another tab or window. */
function followedKey({ target, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): string | undefined {
  if (metaKey || ctrlKey || shiftKey || altKey || !(target instanceof Element)) return undefined;
  return target.closest("[data-item] a")?.closest("[data-item]")?.getAttribute("data-item") ?? undefined;
}

function onArrow(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (moveFocus(event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
}
