import type { ReactNode } from "react";
import type { ItemRow } from "../items/item-rows.js";
import { type Asked, isSelectable, type Selection } from "./selection.js";

interface SelectionBarProps {
  readonly selection: Selection;
  readonly rows: readonly ItemRow[];
  readonly busy: boolean;
  /** Whether they are deleted: then they can only be restored. */
  readonly deleted: boolean;
  readonly canTag: boolean;
  readonly onAsk: (what: Asked["what"]) => void;
  readonly onRestore: () => void;
  readonly onSelectAll: (on: boolean) => void;
  /** What else can be done with what is selected. */
  readonly children?: ReactNode;
}

export function SelectionBar(props: SelectionBarProps) {
  const { selection, rows, busy, deleted, canTag, onAsk, onRestore, onSelectAll, children } = props;
  const { size } = selection;
  const hidden = size - rows.filter(({ key }) => selection.has(key)).length;
  const selectable = rows.filter(isSelectable).length;
  const change = (words: string, onClick: () => void, className?: string) => (
    <button type="button" data-change className={className} disabled={busy} onClick={onClick}>
      {words}
    </button>
  );
  return (
    <fieldset className="selection" aria-label="Selected items">
      <span>
        {size} of {rows.length} selected{hidden > 0 && `, ${hidden} of them not shown`}
      </span>
      {deleted ? (
        change("Restore", onRestore)
      ) : (
        <>
          {change("Move", () => onAsk("move"))}
          {canTag && change("Tag", () => onAsk("tag"))}
          <button type="button" onClick={() => onAsk("export")}>
            Export
          </button>
          {change("Delete", () => onAsk("delete"), "danger")}
        </>
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
