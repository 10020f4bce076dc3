import { ErrorMessage } from "../elements/error-message.js";
import type { ItemRow } from "../items/item-rows.js";
import type { ItemChanges } from "../items/use-item-changes.js";

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

interface NoItemsProps {
  readonly loading: boolean;
  /** Whether the vault contains nothing at all, not even a deleted item. */
  readonly empty: boolean;
  readonly search: string;
}

/** What is shown instead of an empty table. */
export function NoItems({ loading, empty, search }: NoItemsProps) {
  if (loading) return <p role="status">Loading the items…</p>;
  if (empty) {
    return (
      <p>
        This vault has no items yet. A program that holds your keys can add one, such as an agent that calls PutItem: it
        then appears here at once.
      </p>
    );
  }
  if (search !== "") {
    return <p>No title or kind contains “{search}”. The search looks at decrypted titles, in this browser only.</p>;
  }
  return <p>All items of this vault are deleted. Select “Show deleted items” to see and restore them.</p>;
}
