import { labelOf } from "../content/kind-fields.js";
import { ErrorMessage } from "../elements/error-message.js";
import type { ItemRow } from "../items/item-rows.js";
import { useItemChanges } from "../vaults/item-changes.js";
import { FieldValue, useMask } from "./field.js";
import { type ComparedField, compareContents } from "./fields.js";

interface ConflictProps {
  /** The item as the person saw it. */
  readonly seen: ItemRow;
  readonly now: ItemRow;
  readonly onKeep: () => void;
  readonly onDelete: () => void;
}

/** Shows the state that the person saw next to the current one. Nothing is deleted before the person decides. */
export function Conflict({ seen, now, onKeep, onDelete }: ConflictProps) {
  const { busy, error } = useItemChanges();
  const loading = now.content === undefined || now.item.version === seen.item.version;
  const fields = compareContents(seen.content, now.content);
  const same = fields.every((field) => field.seen === field.now);
  return (
    <section className="conflict" aria-labelledby="conflict">
      <h3 id="conflict">Someone changed this while you were looking</h3>
      <p>{whatHappened({ loading, same, deleted: now.item.deleted })}</p>
      <ErrorMessage error={error} />
      {!loading && (
        <div className="card conflict-table">
          <table>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">What you saw</th>
                <th scope="col">Now</th>
              </tr>
            </thead>
            <tbody>
              {fields.map((field) => (
                <Compared key={field.name} field={field} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="actions">
        {!now.item.deleted && (
          <button type="button" className="danger" disabled={loading || busy} onClick={onDelete}>
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
}

function whatHappened({ loading, same, deleted }: WhatHappened): string {
  if (loading) return "Nothing was deleted. Loading the new version…";
  if (deleted) return "Someone else deleted it before you.";
  return `Nothing was deleted. ${same ? "No field is different: it was only saved again." : "What is different is marked."}`;
}

function Compared({ field: { name, seen, now } }: { readonly field: ComparedField }) {
  const { shown, toggle } = useMask(name === "title" ? "name" : name);
  const label = labelOf(name);
  return (
    <tr data-differs={seen !== now}>
      <th scope="row">
        {label}
        {seen !== now && <span className="badge warning">Changed</span>}
        {toggle && (
          <button type="button" className="quiet" aria-label={`${shown ? "Hide" : "Show"} ${label}`} onClick={toggle}>
            {shown ? "Hide" : "Show"}
          </button>
        )}
      </th>
      <td>
        <Side value={seen} shown={shown} />
      </td>
      <td>
        <Side value={now} shown={shown} />
      </td>
    </tr>
  );
}

function Side({ value, shown }: { readonly value: string | undefined; readonly shown: boolean }) {
  return value === undefined ? <span className="hint">Not there</span> : <FieldValue value={value} shown={shown} />;
}
