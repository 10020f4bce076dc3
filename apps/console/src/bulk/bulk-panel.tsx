import { useEffect, useRef, useSyncExternalStore } from "react";
import type { ItemRow } from "../items/item-rows.js";
import { BulkResult } from "./bulk-result.js";
import { countOf } from "./count-of.js";
import { summaryOf } from "./summary-of.js";
import type { BulkChanges, ItemRun } from "./use-bulk.js";

export interface BulkPanelProps {
  readonly run: ItemRun;
  readonly bulk: BulkChanges;
  readonly retentionDays: number | undefined;
  /** Shows an item that was changed in the meantime, as it was when it was selected. */
  readonly onConflict: (row: ItemRow) => void;
}

const words = { delete: { doing: "Deleting", done: "Deleted" }, restore: { doing: "Restoring", done: "Restored" } };

/** Shows how far a run is, and how it ended. */
export function BulkPanel({ run, ...props }: BulkPanelProps) {
  const snapshot = useSyncExternalStore(run.subscribe, run.snapshot);
  const { state, total, outcomes } = snapshot;
  const ended = state === "ended";
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
    <section className="notice bulk" aria-labelledby="bulk">
      <h2 id="bulk" tabIndex={-1} ref={heading}>
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
          <progress aria-labelledby="bulk" max={total} value={outcomes.size} />
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
