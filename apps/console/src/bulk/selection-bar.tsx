import type { ItemRow } from "../items/item-rows.js";
import { countOf } from "./count-of.js";
import type { Selection } from "./selection.js";

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
