import type { ReactNode } from "react";
import type { ItemRow } from "../items/item-rows.js";
import { isSelectable, type Selection } from "./selection.js";

interface SelectionBarProps {
  readonly selection: Selection;
  readonly rows: readonly ItemRow[];
  readonly busy: boolean;
  /** Undefined: they are deleted. */
  readonly onMove: (() => void) | undefined;
  /** Undefined: they cannot be changed here. */
  readonly onTag: (() => void) | undefined;
  /** Undefined: they are deleted. */
  readonly onExport: (() => void) | undefined;
  /** Undefined: they are deleted. */
  readonly onDelete: (() => void) | undefined;
  /** Undefined: they are not deleted. */
  readonly onRestore: (() => void) | undefined;
  readonly onSelectAll: (on: boolean) => void;
  /** What else can be done with what is selected. */
  readonly children?: ReactNode;
}

export function SelectionBar(props: SelectionBarProps) {
  const { selection, rows, busy, onMove, onTag, onExport, onDelete, onRestore, onSelectAll, children } = props;
  const { size } = selection;
  const hidden = size - rows.filter(({ key }) => selection.has(key)).length;
  const selectable = rows.filter(isSelectable).length;
  return (
    <fieldset className="selection" aria-label="Selected items">
      <span>
        {size} of {rows.length} selected{hidden > 0 && `, ${hidden} of them not shown`}
      </span>
      {onMove && (
        <button type="button" data-change disabled={busy} onClick={onMove}>
          Move
        </button>
      )}
      {onTag && (
        <button type="button" data-change disabled={busy} onClick={onTag}>
          Tag
        </button>
      )}
      {onExport && (
        <button type="button" onClick={onExport}>
          Export
        </button>
      )}
      {onRestore && (
        <button type="button" data-change disabled={busy} onClick={onRestore}>
          Restore
        </button>
      )}
      {onDelete && (
        <button type="button" data-change className="danger" disabled={busy} onClick={onDelete}>
          Delete
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
