import { ErrorMessage } from "../parts/error-message.js";
import type { ItemRow } from "./item-rows.js";
import type { ItemChanges } from "./use-item-changes.js";

/** Says what was deleted last, and offers to restore it. */
export function UndoBar({ changes, rows }: { readonly changes: ItemChanges; readonly rows: readonly ItemRow[] }) {
  const { deleted, busy, error, undo } = changes;
  const title = rows.find(({ item }) => item.itemId === deleted?.itemId)?.title;
  return (
    <>
      <div role="status">
        {deleted && (
          <p className="notice undo">
            <span>{title ?? deleted.itemId} was deleted.</span>
            <button type="button" disabled={busy} onClick={undo}>
              Undo
            </button>
          </p>
        )}
      </div>
      <ErrorMessage error={error} />
    </>
  );
}
