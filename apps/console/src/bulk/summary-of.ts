import type { BulkSnapshot } from "./bulk-run.js";

/** How the targets of a run ended. */
export interface BulkSummary<Target> {
  readonly done: readonly Target[];
  readonly conflicts: readonly Target[];
  readonly failures: readonly { readonly target: Target; readonly error: unknown }[];
  /** How many were not called, because the run was stopped. */
  readonly left: number;
}

/** Summarizes a run. */
export function summaryOf<Target>({ total, outcomes }: BulkSnapshot<Target, unknown>): BulkSummary<Target> {
  const done: Target[] = [];
  const conflicts: Target[] = [];
  const failures: { readonly target: Target; readonly error: unknown }[] = [];
  for (const [target, ended] of outcomes) {
    if (ended.outcome === "done") done.push(target);
    else if (ended.outcome === "conflict") conflicts.push(target);
    else failures.push({ target, error: ended.error });
  }
  return { done, conflicts, failures, left: total - outcomes.size };
}
