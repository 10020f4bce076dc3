import { timestampDate } from "@bufbuild/protobuf/wkt";
import { memo } from "react";
import { Icon } from "../elements/icon.js";
import { Ago } from "../elements/moment.js";
import { type ItemRow, lineOf } from "../items/item-rows.js";
import { iconOfKind } from "../items/kind-icon.js";

interface ListRowProps {
  readonly row: ItemRow;
  /** Its place in the list, from 1. */
  readonly position: number;
  /** The length of the list. */
  readonly count: number;
  readonly open: boolean;
  readonly selected: boolean;
  /** Undefined: it cannot be selected. */
  readonly onSelect: ((row: ItemRow, shift: boolean) => void) | undefined;
}

/** An item of the list. */
export const ListRow = memo(function ListRow(props: ListRowProps) {
  const { row, position, count, open, selected, onSelect } = props;
  return (
    <li
      className="item"
      aria-posinset={position}
      aria-setsize={count}
      data-item={row.key}
      data-open={open}
      data-selected={selected}
    >
      <span className="kind">
        <Icon name={iconOfKind(row.item.kind)} />
        {onSelect && (
          <input
            type="checkbox"
            aria-label={`Select ${row.title}`}
            checked={selected}
            // Not onChange: it does not report the Shift key.
            onClick={(event) => onSelect(row, event.shiftKey)}
            readOnly
          />
        )}
      </span>
      {/* The list handles its clicks: links of the router would take most of the time in which the list is rendered. */}
      <a href={`?${new URLSearchParams({ item: row.key })}`} aria-current={open || undefined} dir="auto">
        {row.title}
      </a>
      <span className="line" dir="auto">
        {lineOf(row)}
      </span>
      {row.item.updatedAt && <Ago brief at={timestampDate(row.item.updatedAt)} />}
    </li>
  );
});
