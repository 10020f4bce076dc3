import { ErrorMessage } from "../elements/error-message.js";
import type { ItemRow } from "../items/item-rows.js";
import { useItemChanges } from "../vaults/item-changes.js";
import { useChangedBy } from "./changed-by.js";
import { Comparison } from "./comparison.js";
import { Doubts } from "./doubts.js";
import { compareContents, isSameField } from "./fields.js";

interface ConflictProps {
  readonly seen: ItemRow;
  readonly now: ItemRow;
  readonly onKeep: () => void;
  readonly onDelete: () => void;
}

/** Shows the state that the person saw next to the current one. Nothing is deleted before the person decides. */
export function Conflict({ seen, now, onKeep, onDelete }: ConflictProps) {
  const { busy, error } = useItemChanges();
  const by = useChangedBy(now);
  const loading = now.content === undefined || now.item.version === seen.item.version;
  const fields = compareContents(seen.content, now.content);
  const same = fields.every((field) => isSameField(field.seen, field.now));
  const difference = same ? "No field is different: it was only saved again." : "What is different is marked.";
  const happened = now.item.deleted
    ? `It was deleted before, by ${by}, as the server says.`
    : `Nothing was deleted. Changed by ${by}. ${difference}`;
  return (
    <section className="conflict" aria-labelledby="conflict">
      <h3 id="conflict">Someone changed this while you were looking</h3>
      <p>{loading ? "Nothing was deleted. Loading the new version…" : happened}</p>
      <ErrorMessage error={error} />
      {!loading && <Doubts content={now.content} />}
      {!loading && <Comparison fields={fields} before="What you saw" after="Now" />}
      <div className="actions">
        {!now.item.deleted && (
          <button type="button" data-change className="danger" disabled={loading || busy} onClick={onDelete}>
            Delete it anyway
          </button>
        )}
        <button type="button" className="primary" disabled={loading} onClick={onKeep}>
          Keep the new version
        </button>
      </div>
    </section>
  );
}
