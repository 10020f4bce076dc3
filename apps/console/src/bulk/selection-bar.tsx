import type { ReactNode } from "react";
import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";
import { isSelectable, type Selection } from "./selection.js";

interface SelectionBarProps {
  readonly selection: Selection;
  readonly rows: readonly ItemRow[];
  readonly busy: boolean;
  /** Undefined: they are deleted. */
  readonly onDelete: (() => void) | undefined;
  /** Undefined: they are not deleted. */
  readonly onRestore: (() => void) | undefined;
  readonly onSelectAll: (on: boolean) => void;
  /** What else can be done with what is selected. */
  readonly children?: ReactNode;
}

export function SelectionBar({ selection, rows, busy, onDelete, onRestore, onSelectAll, children }: SelectionBarProps) {
  const { size } = selection;
  const hidden = size - rows.filter(({ key }) => selection.has(key)).length;
  const selectable = rows.filter(isSelectable).length;
  return (
    <fieldset className="selection" aria-label="Selected items">
      <span>
        {size} of {rows.length} selected{hidden > 0 && `, ${hidden} of them not shown`}
      </span>
      {onRestore && (
        <button type="button" data-change disabled={busy} onClick={onRestore}>
          Restore {countOf({ length: size })}
        </button>
      )}
      {onDelete && (
        <button type="button" data-change className="danger" disabled={busy} onClick={onDelete}>
          Delete {countOf({ length: size })}
        </button>
      )}
      {children}
      {size - hidden < selectable && (
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
