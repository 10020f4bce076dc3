import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import type { Selection } from "../bulk/selection.js";
import { Icon } from "../elements/icon.js";
import { Ago } from "../elements/moment.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { moveFocus } from "../elements/row-focus.js";
import { type ItemRow, lineOf } from "../items/item-rows.js";
import { KindMark } from "../items/kind-mark.js";

const RowCopy = lazyPart(async () => (await import("./row-copy.js")).RowCopy);

export interface ItemListProps {
  readonly rows: readonly ItemRow[];
  readonly openKey: string | undefined;
  readonly selection: Selection;
  readonly canSelect: (row: ItemRow) => boolean;
  readonly onOpen: (key: string) => void;
  /** Selects or deselects an item, or with Shift all items up to it. */
  readonly onSelect: (row: ItemRow, shift: boolean) => void;
  /** Returns the name of the vault of an item. Undefined: all are in one. */
  readonly vaultNameOf?: ((row: ItemRow) => string | undefined) | undefined;
}

/** The list of the items. Only the rows near the visible ones are elements. */
export function ItemList(props: ItemListProps) {
  const { rows, openKey, selection, canSelect, onOpen, onSelect, vaultNameOf } = props;
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
    // Followed with Enter: the focus goes to the heading of the item, if it is not there yet as soon as it is.
    if (event.detail === 0 && event.target instanceof HTMLElement) event.target.blur();
    if (event.detail === 0 && key === openKey) document.getElementById("item")?.focus();
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
            vaultName={vaultNameOf?.(row)}
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

interface ListRowProps {
  readonly row: ItemRow;
  /** Its place in the list, from 1. */
  readonly position: number;
  readonly count: number;
  readonly open: boolean;
  readonly selected: boolean;
  /** Undefined: it cannot be selected. */
  readonly onSelect: ((row: ItemRow, shift: boolean) => void) | undefined;
  readonly vaultName: string | undefined;
}

const ListRow = memo(function ListRow(props: ListRowProps) {
  const { row, position, count, open, selected, onSelect, vaultName } = props;
  /** Whether the person points at it, or has the focus in it. */
  const [near, setNear] = useState<"pointer" | "focus">();
  return (
    <li
      className="item"
      aria-posinset={position}
      aria-setsize={count}
      data-item={row.key}
      data-open={open}
      data-selected={selected}
      onPointerEnter={({ pointerType }) => pointerType === "mouse" && setNear((last) => last ?? "pointer")}
      onPointerLeave={() => setNear((last) => (last === "focus" ? last : undefined))}
      onFocus={() => setNear("focus")}
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && setNear(undefined)}
    >
      <KindMark row={row}>
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
      </KindMark>
      {/* The list handles its clicks: links of the router would take most of the time in which the list is rendered. */}
      <a href={`?${new URLSearchParams({ item: row.key })}`} aria-current={open || undefined} dir="auto">
        {row.content?.favourite && <Icon name="star" />}
        {row.title}
        {row.content?.favourite && <span className="unseen">Favourite</span>}
      </a>
      <span className="line" dir="auto">
        {lineOf(row)}
        {vaultName !== undefined && ` · ${vaultName}`}
      </span>
      {row.item.updatedAt && <Ago brief at={timestampDate(row.item.updatedAt)} />}
      {near && !row.item.deleted && row.content?.fields && (
        <PartBoundary>
          <RowCopy row={row} focused={near === "focus"} />
        </PartBoundary>
      )}
    </li>
  );
});

/** The height of a row in CSS pixels: `.item` in list.css. */
export const rowHeight = 56;

/** How many rows are elements above and below the visible ones: the focus can move to them. */
const around = 10;

/** Some of the rows of a list: from `first` to before `end`. */
interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** Returns the rows that are elements. It moves by several rows at once, so that not every pixel of scrolling renders. */
export function rangeAt({ top, height }: { readonly top: number; readonly height: number }): RowRange {
  const first = Math.floor(Math.max(0, top) / rowHeight / around) * around - around;
  const visible = Math.ceil(height / rowHeight);
  return { first: Math.max(0, first), end: first + visible + 3 * around };
}

/** Returns the rows near the visible ones of a list that scrolls, whatever it contains. */
function useVisibleRows(scrolled: RefObject<HTMLElement | null>): RowRange {
  // Before the first layout, only the rows that are visible then.
  const [range, setRange] = useState(() => ({ first: 0, end: Math.ceil(window.innerHeight / rowHeight) }));
  useEffect(() => {
    const element = scrolled.current;
    if (element === null) return;
    const update = () => {
      const next = rangeAt({ top: element.scrollTop, height: element.clientHeight });
      setRange((last) => (last.first === next.first && last.end === next.end ? last : next));
    };
    const sizes = new ResizeObserver(update);
    sizes.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, [scrolled]);
  return range;
}
