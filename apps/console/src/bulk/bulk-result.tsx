import type { ReactNode } from "react";
import type { ItemRow } from "../items/item-rows.js";
import { ErrorReference } from "../parts/error-message.js";
import type { BulkPanelProps } from "./bulk-panel.js";
import { countOf } from "./count-of.js";
import type { BulkSummary } from "./summary-of.js";

interface BulkResultProps extends BulkPanelProps {
  readonly summary: BulkSummary<ItemRow>;
}

/** Shows how a run ended, and what the person can do about it. */
export function BulkResult({ run, summary, bulk, retentionDays, onConflict }: BulkResultProps) {
  const { done, conflicts, failures, left } = summary;
  const isDeletion = run.kind === "delete";
  return (
    <>
      {conflicts.length > 0 && (
        <>
          <p>{countOf(conflicts)} changed in the meantime, so that nothing was done to them:</p>
          <Entries all={conflicts} idOf={({ item }) => item.itemId}>
            {(row) => (
              <button type="button" className="link" onClick={() => onConflict(row)}>
                {row.title}
              </button>
            )}
          </Entries>
        </>
      )}
      {failures.length > 0 && (
        <>
          <p>{countOf(failures)} failed:</p>
          <Entries all={failures} idOf={({ target }) => target.item.itemId}>
            {({ target, error }) => (
              <>
                {target.title} <ErrorReference error={error} />
              </>
            )}
          </Entries>
        </>
      )}
      {left > 0 && <p>{countOf({ length: left })} left, because you stopped.</p>}
      <div className="actions">
        {isDeletion && done.length > 0 && retentionDays !== 0 && (
          <button type="button" onClick={bulk.undo}>
            Undo
          </button>
        )}
        {failures.length + left > 0 && (
          <button type="button" onClick={run.again}>
            Try again
          </button>
        )}
        <button type="button" onClick={bulk.close}>
          Close
        </button>
      </div>
    </>
  );
}

/** How many entries are listed. */
const shown = 50;

interface EntriesProps<Entry> {
  readonly all: readonly Entry[];
  readonly idOf: (entry: Entry) => string;
  readonly children: (entry: Entry) => ReactNode;
}

function Entries<Entry>({ all, idOf, children }: EntriesProps<Entry>) {
  return (
    <ul>
      {all.slice(0, shown).map((entry) => (
        <li key={idOf(entry)}>{children(entry)}</li>
      ))}
      {all.length > shown && <li>and {all.length - shown} more</li>}
    </ul>
  );
}
