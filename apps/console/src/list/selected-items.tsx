import { Suspense } from "react";
import type { Asked, Selection } from "../bulk/selection.js";
import type { BulkChanges } from "../bulk/use-bulk.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import type { ItemRow } from "../items/item-rows.js";
import { useVaultOf } from "../vaults/library.js";
import { canDestroy, canWrite } from "../vaults/own-vault.js";
import { tagsOf } from "./chips.js";

// Loaded when they are first shown: the library of accessible dialogs is as large as React.
const DeleteForEver = lazyPart(async () => (await import("../detail/delete-for-ever.js")).DeleteForEver);
const MoveSheet = lazyPart(async () => (await import("../moving/move-sheet.js")).MoveSheet);
const TagSheet = lazyPart(async () => (await import("../bulk/tag-sheet.js")).TagSheet);
const ExportSheet = lazyPart(async () => (await import("../export/export-page.js")).ExportSheet);
const BulkConfirmation = lazyPart(async () => (await import("../bulk/bulk-confirmation.js")).BulkConfirmation);
const SelectionBar = lazyPart(async () => (await import("../bulk/selection-bar.js")).SelectionBar);
const BulkPanel = lazyPart(async () => (await import("../bulk/bulk-panel.js")).BulkPanel);

interface SelectedItemsProps {
  readonly selection: Selection;
  readonly selectAll: (on: boolean) => void;
  /** The rows that are shown. */
  readonly rows: readonly ItemRow[];
  /** All rows of the list, also those that are not shown. */
  readonly listed: readonly ItemRow[];
  readonly deleted: boolean;
  readonly bulk: BulkChanges;
  readonly asked: Asked | undefined;
  readonly onAsk: (asked: Asked | undefined) => void;
  readonly onDelete: (rows: readonly ItemRow[]) => void;
  readonly onConflict: (row: ItemRow) => void;
}

export function SelectedItems(props: SelectedItemsProps) {
  const { selection, selectAll, rows, listed, deleted, bulk, asked, onAsk, onDelete, onConflict } = props;
  const vaultOf = useVaultOf();
  const selected = [...selection.values()];
  const retentionOf = (all: readonly ItemRow[]) => Math.min(...all.map((row) => vaultOf(row)?.retentionDays ?? 0));
  const clear = () => selectAll(false);
  const close = () => onAsk(undefined);
  return (
    <PartBoundary onClose={close}>
      {selection.size > 0 && (
        <SelectionBar
          selection={selection}
          rows={rows}
          busy={bulk.busy}
          deleted={deleted}
          canTag={selected.every((row) => canWrite(vaultOf(row)))}
          onAsk={(what) => onAsk({ what, rows: selected })}
          onRestore={() => {
            bulk.restore(selected);
            clear();
          }}
          onSelectAll={selectAll}
        >
          {deleted && selected.every((row) => canDestroy(vaultOf(row))) && (
            <DeleteForEver rows={selected} words="Delete for ever" onDone={clear} />
          )}
        </SelectionBar>
      )}
      <Suspense>
        {asked?.what === "move" && <MoveSheet rows={asked.rows} onDone={clear} onClose={close} />}
        {asked?.what === "tag" && (
          <TagSheet
            rows={asked.rows}
            known={tagsOf(listed)}
            onTag={(chosen, on) => {
              bulk.tag(asked.rows, chosen, on);
              clear();
              close();
            }}
            onClose={close}
          />
        )}
        {asked?.what === "export" && (
          <ExportSheet selected={new Set(asked.rows.map(({ key }) => key))} onClose={close} />
        )}
      </Suspense>
      <Suspense>
        {bulk.run && (
          <BulkPanel
            run={bulk.run}
            bulk={bulk}
            canUndo={bulk.run.kind !== "delete" || retentionOf(bulk.run.targets) !== 0}
            onConflict={onConflict}
          />
        )}
        {asked?.what === "delete" && (
          <BulkConfirmation
            rows={asked.rows}
            retentionDays={retentionOf(asked.rows)}
            onDelete={() => {
              onDelete(asked.rows);
              clear();
              close();
            }}
            onClose={close}
          />
        )}
      </Suspense>
    </PartBoundary>
  );
}
