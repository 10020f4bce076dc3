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
  return (
    <section className="conflict" aria-labelledby="conflict">
      <h3 id="conflict">Someone changed this while you were looking</h3>
      <p>{whatHappened({ loading, same, deleted: now.item.deleted, by })}</p>
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

interface WhatHappened {
  readonly loading: boolean;
  readonly same: boolean;
  readonly deleted: boolean;
  readonly by: string;
}

function whatHappened({ loading, same, deleted, by }: WhatHappened): string {
  if (loading) return "Nothing was deleted. Loading the new version…";
  if (deleted) return `It was deleted before, by ${by}, as the server says.`;
  return `Nothing was deleted. Changed by ${by}. ${same ? "No field is different: it was only saved again." : "What is different is marked."}`;
}
