import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";
import type { Selection } from "./selection.js";

interface SelectionBarProps {
  readonly selection: Selection;
  readonly rows: readonly ItemRow[];
  /** Whether items are being deleted. */
  readonly busy: boolean;
  readonly onDelete: () => void;
  /** Selects all rows, or none. */
  readonly onSelectAll: (on: boolean) => void;
}

/** Says what is selected, and what can be done with it. */
export function SelectionBar({ selection, rows, busy, onDelete, onSelectAll }: SelectionBarProps) {
  const { size } = selection;
  const hidden = size - rows.filter(({ key }) => selection.has(key)).length;
  const live = rows.filter(({ item }) => !item.deleted).length;
  return (
    <fieldset className="selection" aria-label="Selected items">
      <span>
        {size} of {rows.length} selected{hidden > 0 && `, ${hidden} of them not shown`}
      </span>
      <button type="button" className="danger" disabled={busy} onClick={onDelete}>
        Delete {countOf({ length: size })}
      </button>
      {size - hidden < live && (
        <button type="button" className="quiet" onClick={() => onSelectAll(true)}>
          Select all
        </button>
      )}
      <button type="button" className="quiet" aria-label="Clear selection" onClick={() => onSelectAll(false)}>
        Clear
      </button>
    </fieldset>
  );
}
