import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createColumnHelper, tableFeatures, useTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useMemo, useRef } from "react";
import { countOf, type Selection } from "../bulk/selection.js";
import { stateInWords, stateOf } from "../items/item-content.js";
import type { ItemRow } from "../items/item-rows.js";

/** The height of a row in CSS pixels: `.items tr` in style.css. */
const rowHeight = 44;

const time = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const features = tableFeatures({});
const helper = createColumnHelper<typeof features, ItemRow>();

export interface ItemTableProps {
  readonly rows: readonly ItemRow[];
  /** Undefined until it is known. */
  readonly retentionDays: number | undefined;
  readonly selection: Selection;
  readonly onOpen: (row: ItemRow) => void;
  /** Selects or deselects an item, or with Shift all items up to it. */
  readonly onSelect: (row: ItemRow, shift: boolean) => void;
  /** Selects all rows, or none. */
  readonly onSelectAll: (on: boolean) => void;
}

/** The table of the items. Only the rows near the visible ones are elements. */
export function ItemTable({ rows, retentionDays, selection, onOpen, onSelect, onSelectAll }: ItemTableProps) {
  const scrolled = useRef<HTMLDivElement>(null);
  const columns = useMemo(
    () =>
      helper.columns([
        helper.accessor("title", {
          header: "Title",
          cell: ({ row: { original } }) => (
            <button type="button" className="link" onClick={() => onOpen(original)}>
              {original.title}
            </button>
          ),
        }),
        helper.accessor(({ item }) => item.kind, { id: "kind", header: "Kind" }),
        helper.accessor(({ item }) => item.version, { id: "version", header: "Version" }),
        helper.accessor(({ item }) => item.updatedAt && time.format(timestampDate(item.updatedAt)), {
          id: "changed",
          header: "Changed",
        }),
        helper.accessor(({ item }) => stateInWords(stateOf(item, retentionDays)), { id: "state", header: "State" }),
      ]),
    [onOpen, retentionDays],
  );
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns, data, getRowId: ({ item }) => item.itemId });
  const all = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: all.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const near = virtual.getVirtualItems();
  const above = near[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (near.at(-1)?.end ?? 0);
  return (
    <div className="items" ref={scrolled}>
      <table aria-label="Items" aria-rowcount={all.length + 1}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} aria-rowindex={1}>
              <th scope="col" className="select">
                <SelectAll rows={rows} selection={selection} onSelectAll={onSelectAll} />
              </th>
              {group.headers.map((header) => (
                <th key={header.id} scope="col" className={header.column.id}>
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody onKeyDown={moveFocus}>
          <Spacer height={above} />
          {near.map(({ index }) => {
            const row = all[index];
            if (row === undefined) return undefined;
            return (
              <tr key={row.id} aria-rowindex={index + 2} data-item={row.id}>
                <td className="select">
                  {!row.original.item.deleted && (
                    <input
                      type="checkbox"
                      aria-label={`Select ${row.original.title}`}
                      checked={selection.has(row.id)}
                      // Not onChange: it does not report the Shift key.
                      onClick={(event) => onSelect(row.original, event.shiftKey)}
                      readOnly
                    />
                  )}
                </td>
                {row.getAllCells().map((cell) => (
                  <td key={cell.id} className={cell.column.id}>
                    <table.FlexRender cell={cell} />
                  </td>
                ))}
              </tr>
            );
          })}
          <Spacer height={below} />
        </tbody>
      </table>
    </div>
  );
}

interface SelectAllProps extends Pick<ItemTableProps, "rows" | "selection" | "onSelectAll"> {}

/** Selects all rows, including those that are not elements. */
function SelectAll({ rows, selection, onSelectAll }: SelectAllProps) {
  const live = useMemo(() => rows.filter(({ item }) => !item.deleted), [rows]);
  const selected = useMemo(() => live.filter(({ item }) => selection.has(item.itemId)).length, [live, selection]);
  const all = selected > 0 && selected === live.length;
  return (
    <input
      type="checkbox"
      aria-label={`Select all ${countOf(live)} of this list`}
      checked={all}
      ref={(element) => {
        if (element !== null) element.indeterminate = selected > 0 && !all;
      }}
      onChange={() => onSelectAll(!all)}
    />
  );
}

/** Moves the focus to the same control of the row above or below. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const sibling = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" } as const;
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const control = event.target instanceof HTMLElement ? event.target : undefined;
  const row = control?.closest("tr")?.[sibling[event.key]];
  const next = row?.querySelector<HTMLElement>(control?.matches("input") ? "input" : "button");
  if (next == null) return;
  event.preventDefault();
  next.focus();
}

/** Takes the space of the rows that are not elements. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? <tr aria-hidden className="spacer" style={{ height }} /> : undefined;
}
