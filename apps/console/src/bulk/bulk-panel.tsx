import { useEffect, useId, useRef, useSyncExternalStore } from "react";
import { ErrorWords } from "../elements/error-message.js";
import { FirstOf } from "../elements/first-of.js";
import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";
import { type BulkSummary, summaryOf } from "./bulk-run.js";
import type { ItemRun } from "./start-item-run.js";
import type { BulkChanges } from "./use-bulk.js";

const words = {
  delete: { doing: "Deleting", done: "Deleted" },
  restore: { doing: "Restoring", done: "Restored" },
  move: { doing: "Moving", done: "Moved" },
  copy: { doing: "Copying", done: "Copied" },
  tag: { doing: "Tagging", done: "Tagged" },
  untag: { doing: "Removing the tag from", done: "Removed the tag from" },
};

export interface ShownRun extends Omit<ItemRun, "kind" | "inverse"> {
  readonly kind: keyof typeof words;
}

export interface BulkPanelProps {
  readonly run: ShownRun;
  readonly bulk: Pick<BulkChanges, "undo" | "close">;
  readonly canUndo: boolean;
  /** Shows an item that was changed in the meantime. */
  readonly onConflict: (row: ItemRow) => void;
}

export function BulkPanel({ run, ...props }: BulkPanelProps) {
  const snapshot = useSyncExternalStore(run.subscribe, run.snapshot);
  const { state, total, outcomes } = snapshot;
  const ended = state === "ended";
  const id = useId();
  const { doing, done } = words[run.kind];
  const heading = useRef<HTMLHeadingElement>(null);
  // A run starts and ends with a button that is then gone or disabled.
  useEffect(() => {
    if (document.activeElement === document.body || !ended) heading.current?.focus();
  }, [ended]);
  const tenths = Math.floor((outcomes.size / total) * 10);
  const title = ended
    ? `${done} ${summaryOf(snapshot).done.length} of ${countOf({ length: total })}`
    : `${doing} ${countOf({ length: total })}`;
  return (
    <section className="notice bulk" aria-labelledby={id}>
      <h2 id={id} tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {/* Not after every call: a screen reader would not keep up. */}
      <p role="status" className="unseen">
        {ended ? title : tenths > 0 && `${tenths * 10} % done`}
      </p>
      {ended ? (
        <BulkResult run={run} summary={summaryOf(snapshot)} {...props} />
      ) : (
        <>
          <progress aria-labelledby={id} max={total} value={outcomes.size} />
          <div className="actions">
            <button type="button" disabled={state === "stopping"} onClick={run.stop}>
              {state === "stopping" ? "Stopping…" : "Stop"}
            </button>
            <span>
              {outcomes.size} of {total}
            </span>
          </div>
        </>
      )}
    </section>
  );
}

/** How many entries are listed. */
const shown = 50;

interface BulkResultProps extends BulkPanelProps {
  readonly summary: BulkSummary<ItemRow>;
}

export function BulkResult({ run, summary, bulk, canUndo, onConflict }: BulkResultProps) {
  const { done, conflicts, failures, left } = summary;
  return (
    <>
      {conflicts.length > 0 && (
        <>
          <p>{countOf(conflicts)} changed in the meantime, so that nothing was done:</p>
          <FirstOf all={conflicts} most={shown}>
            {(row) => (
              <button type="button" className="link" onClick={() => onConflict(row)}>
                {row.title}
              </button>
            )}
          </FirstOf>
        </>
      )}
      {failures.length > 0 && (
        <>
          <p>{countOf(failures)} failed:</p>
          <FirstOf all={failures} most={shown}>
            {({ target, error }) => (
              <>
                {target.title}
                <ErrorWords error={error} />
              </>
            )}
          </FirstOf>
        </>
      )}
      {left > 0 && <p>{countOf({ length: left })} left, because you stopped.</p>}
      <div className="actions">
        {bulk.undo && done.length > 0 && canUndo && (
          <button type="button" data-change onClick={bulk.undo}>
            Undo
          </button>
        )}
        {failures.length + left > 0 && (
          <button type="button" data-change onClick={run.again}>
            Try again
          </button>
        )}
        <button type="button" className="quiet" onClick={bulk.close}>
          Close
        </button>
      </div>
    </>
  );
}
