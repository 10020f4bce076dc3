import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createColumnHelper, tableFeatures, useTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import type { ItemRow } from "./item-rows.js";
import { stateOf } from "./shredding.js";
import { stateInWords } from "./state-words.js";

/** The height of a row in CSS pixels: `.items tr` in style.css. */
const rowHeight = 44;

const time = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const features = tableFeatures({});
const helper = createColumnHelper<typeof features, ItemRow>();

export interface ItemTableProps {
  readonly rows: readonly ItemRow[];
  /** Undefined until it is known. */
  readonly retentionDays: number | undefined;
  readonly onOpen: (row: ItemRow) => void;
}

/** The table of the items. Only the rows near the visible ones are elements. */
export function ItemTable({ rows, retentionDays, onOpen }: ItemTableProps) {
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
              {group.headers.map((header) => (
                <th key={header.id} scope="col" className={header.column.id}>
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          <Spacer height={above} />
          {near.map(({ index }) => {
            const row = all[index];
            if (row === undefined) return undefined;
            return (
              <tr key={row.id} aria-rowindex={index + 2}>
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

/** Takes the space of the rows that are not elements. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? <tr aria-hidden className="spacer" style={{ height }} /> : undefined;
}
