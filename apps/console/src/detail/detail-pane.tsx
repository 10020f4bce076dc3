import { Link } from "@tanstack/react-router";
import { Suspense } from "react";
import "./detail.css";
import { Icon } from "../elements/icon.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import type { ItemRow } from "../items/item-rows.js";
import type { ItemDetailProps } from "./item-detail.js";

const ItemDetail = lazyPart(async () => (await import("./item-detail.js")).ItemDetail);

interface DetailPaneProps extends Omit<ItemDetailProps, "row"> {
  /** The item that is open, if it is there. */
  readonly row: ItemRow | undefined;
  readonly openKey: string | undefined;
  readonly loading: boolean;
  /** Whether the list is empty, so that there is nothing to select. */
  readonly empty: boolean;
}

/** The place of the open item, next to the list; on a phone in its place. */
export function DetailPane({ row, openKey, loading, empty, ...props }: DetailPaneProps) {
  return (
    <section className="detail" aria-label="Item">
      {openKey !== undefined && (
        <Link className="button quiet back" to="." search={{}}>
          <Icon name="back" />
          Back to the list
        </Link>
      )}
      {openKey === undefined && !empty && <p className="detail-none">Select an item to see it here.</p>}
      {openKey !== undefined &&
        row === undefined &&
        (loading ? (
          <p role="status">Loading…</p>
        ) : (
          <p>
            This item is not here any more.{" "}
            <Link to="." search={{}}>
              Close it
            </Link>
          </p>
        ))}
      <PartBoundary key={openKey ?? ""}>
        <Suspense fallback={<p role="status">Loading…</p>}>
          {row && <ItemDetail key={`${row.key} ${props.conflict?.item.version ?? ""}`} row={row} {...props} />}
        </Suspense>
      </PartBoundary>
    </section>
  );
}
