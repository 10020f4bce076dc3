import type { RecordedCall } from "../history/journal.ts";
import { fixture } from "../load/plan.ts";
import { findWrongAudit } from "./audit.ts";
import { findGaps, findOtherAnswers, findReissued, findUnasked } from "./changes.ts";
import { findWrongGrants } from "./grants.ts";
import { createHistories } from "./histories.ts";
import { checkLinearizability } from "./linearizability.ts";
import { findUnexplained } from "./positions.ts";
import { findWrongSeals } from "./seals.ts";
import { findAcceptedAfterRevocation } from "./sessions.ts";
import type { Stored } from "./stored.ts";
import { findTooFew } from "./successes.ts";

/** What the checks must know of a run. */
export interface VerifyOptions {
  /** Whether the clock of the app was set during the load. */
  readonly clockMoves: boolean;
  /** The number of successes that each kind of call must have had. */
  readonly minimum: number;
  /**
   * Until when acknowledged calls are lost, because the database went back to an earlier state. Calls from before, and what they have
   * changed, are not checked. 0: none are lost.
   */
  readonly losesUntil: number;
}

/** The result of all checks. */
export interface Verdict {
  /** Each is a sentence that names the object. Empty: nothing was lost, doubled or invented. */
  readonly violations: readonly string[];
  /** The number of objects whose calls are linearizable. */
  readonly objects: number;
  /** The duration of the checks, in milliseconds. */
  readonly durationMs: number;
  /** The number of audit records, and of those that are sealed. */
  readonly records: number;
  readonly sealed: number;
}

/** Compares what clients recorded with what is stored. */
export function verify(calls: readonly RecordedCall[], stored: Stored, options: VerifyOptions): Verdict {
  const startedAt = performance.now();
  const shreds = (vaultId: string) => vaultId === fixture.shreddingVault;
  const histories = createHistories(calls, stored, shreds);
  const { clockMoves, minimum, losesUntil } = options;
  const kept = losesUntil > 0 ? calls.filter(({ begunAt }) => begunAt > losesUntil) : calls;
  const linearizability = losesUntil > 0 ? nothingChecked : checkLinearizability(calls, { clockMoves, shreds });
  const violations = [
    ...findTooFew(calls, minimum),
    ...linearizability.violations,
    ...(losesUntil > 0
      ? findReissued(calls, losesUntil)
      : [...findGaps(stored), ...findUnasked(histories), ...findWrongAudit(stored), ...findWrongGrants(calls, stored)]),
    ...findUnexplained(kept, histories),
    ...findOtherAnswers(kept),
    ...findWrongSeals(stored),
    ...findAcceptedAfterRevocation(calls),
  ];
  return {
    violations,
    objects: linearizability.objects,
    durationMs: performance.now() - startedAt,
    records: stored.audit.length,
    sealed: stored.seals.reduce((sum, { rows }) => sum + rows, 0),
  };
}

/** The calls from before a loss leave objects in states that no call explains. */
const nothingChecked = { violations: [], objects: 0 };
