import { useState } from "react";
import { Link, useNavigate } from "../elements/link.js";
import "../detail/detail.css";
import type { ItemDetailProps } from "../detail/item-detail.js";
import type { ItemSheet } from "../detail/item-menu.js";
import { Icon } from "../elements/icon.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import type { ItemRow } from "../items/item-rows.js";
import { useVault } from "../vaults/library.js";
import { canWrite } from "../vaults/own-vault.js";

const NewItem = lazyPart(async () => (await import("../editing/new-item.js")).NewItem);
const EditItem = lazyPart(async () => (await import("../editing/edit-item.js")).EditItem);
const ItemHistory = lazyPart(async () => (await import("../history/item-history.js")).ItemHistory);
const MoveSheet = lazyPart(async () => (await import("../moving/move-sheet.js")).MoveSheet);
const ItemDetail = lazyPart(async () => (await import("../detail/item-detail.js")).ItemDetail);

interface DetailPaneProps extends Omit<ItemDetailProps, "row" | "onSheet"> {
  readonly row: ItemRow | undefined;
  readonly openKey: string | undefined;
  readonly loading: boolean;
  /** Whether the list is empty, so that there is nothing to select. */
  readonly empty: boolean;
  readonly edited: boolean;
  /** The kind of a new item that is written in the place of an open one. */
  readonly newKind: string | undefined;
  /** The vault whose list is shown. Undefined: all vaults. */
  readonly vaultId: string | undefined;
  readonly onClose: () => void;
  readonly onEdited: () => void;
}

/** The place of the open item, next to the list; on a phone in its place. */
export function DetailPane(all: DetailPaneProps) {
  const { row, openKey, loading, empty, edited, newKind, vaultId, onClose, onEdited, ...props } = all;
  const [sheet, setSheet] = useState<{ readonly what: ItemSheet; readonly row: ItemRow }>();
  const navigate = useNavigate();
  const closeSheet = () => setSheet(undefined);
  const vault = useVault(row?.vaultId);
  const isEdited = edited && (vault === undefined || canWrite(vault));
  return (
    <section className="detail" aria-label="Item">
      {(openKey !== undefined || newKind !== undefined) && (
        <Link className="button quiet back" to="." search={{}}>
          <Icon name="back" />
          Back to the list
        </Link>
      )}
      {openKey === undefined && newKind === undefined && !empty && (
        <p className="detail-none">Select an item to see it here.</p>
      )}
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
      <PartBoundary key={`${openKey} ${newKind}`} fallback={<p role="status">Loading…</p>}>
        {newKind !== undefined && <NewItem key={newKind} kind={newKind} vaultId={vaultId} onCancel={onClose} />}
        {row && isEdited && <EditItem key={row.key} row={row} onDone={onEdited} />}
        {row && !isEdited && (
          <ItemDetail
            key={`${row.key} ${props.conflict?.item.version ?? ""}`}
            row={row}
            onSheet={(what, seen) => setSheet({ what, row: seen })}
            {...props}
          />
        )}
      </PartBoundary>
      <PartBoundary onClose={closeSheet}>
        {sheet?.what === "history" && <ItemHistory row={sheet.row} onClose={closeSheet} />}
        {sheet !== undefined && sheet.what !== "history" && (
          <MoveSheet
            rows={[sheet.row]}
            copy={sheet.what === "copy"}
            onDone={([key = ""]) => navigate({ to: ".", search: { item: key }, replace: true })}
            onClose={closeSheet}
          />
        )}
      </PartBoundary>
    </section>
  );
}
