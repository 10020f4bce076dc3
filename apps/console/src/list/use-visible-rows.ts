import { type RefObject, useEffect, useState } from "react";

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
export function useVisibleRows(scrolled: RefObject<HTMLElement | null>): RowRange {
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
