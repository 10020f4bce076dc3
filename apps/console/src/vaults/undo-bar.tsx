import { ErrorMessage } from "../parts/error-message.js";
import type { ItemRow } from "./item-rows.js";
import type { ItemChanges } from "./use-item-changes.js";

interface UndoBarProps {
  readonly changes: ItemChanges;
  readonly rows: readonly ItemRow[];
  readonly retentionDays: number | undefined;
}

/** Says what was deleted last, and offers to restore it. */
export function UndoBar({ changes, rows, retentionDays }: UndoBarProps) {
  const { deleted, busy, error, undo } = changes;
  const title = rows.find(({ item }) => item.itemId === deleted?.itemId)?.title;
  return (
    <>
      <div role="status">
        {deleted && (
          <p className="notice undo">
            <span>{title ?? deleted.itemId} was deleted.</span>
            {retentionDays !== 0 && (
              <button type="button" disabled={busy} onClick={undo}>
                Undo
              </button>
            )}
          </p>
        )}
      </div>
      <ErrorMessage error={error} />
    </>
  );
}
