import type { Stored, VerifyOptions } from "../history/history-file.ts";
import { callsOn, type RecordedCall } from "../history/journal.ts";
import { findTooFew } from "../history/successes.ts";
import { fixture } from "../load/plan.ts";
import { findWrongBudgets, findWrongGrants } from "./grants.ts";
import { createHistories, findGaps, findOtherAnswers, findReissued, findUnasked } from "./histories.ts";
import { checkLinearizability } from "./linearizability.ts";
import { findUnexplained } from "./positions.ts";
import { chainedSeals, findWrongSeals } from "./seals.ts";

export interface Verdict {
  /** Each is a sentence that names the object. Empty: nothing was lost, doubled or invented. */
  readonly violations: readonly string[];
  readonly objects: number;
  /** The duration of the checks, in milliseconds. */
  readonly durationMs: number;
  readonly records: number;
  readonly sealed: number;
}

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
      : [
          ...findGaps(stored),
          ...findUnasked(histories),
          ...findWrongAudit(stored),
          ...findWrongGrants(calls, stored),
          ...findWrongBudgets(calls, stored, histories),
        ]),
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
    sealed: chainedSeals(stored.seals).reduce((sum, { rows }) => sum + rows, 0),
  };
}

/** The calls from before a loss leave objects in states that no call explains. */
const nothingChecked = { violations: [], objects: 0 };

/** The events that make an item live, and the one that deletes it. */
const events: Readonly<Record<string, readonly string[]>> = {
  live: ["created", "replaced", "restored"],
  deleted: ["deleted"],
  shredded: ["deleted"],
};

/** Lists differences between the audit trail and the effects: each change has one record, and each record a change. */
function* findWrongAudit({ changes, audit }: Stored): Generator<string> {
  const states = new Map(
    changes.map(({ vaultId, itemId, version, state }) => [`${vaultId}/${itemId} ${version}`, state]),
  );
  const recorded = new Set<string>();
  const requests = new Set<string>();
  for (const { subjectTenantId, subject, event, versionAfter, requestId } of audit) {
    if (subjectTenantId !== fixture.tenantId || !subject.startsWith("item:") || event === "shredded") continue;
    const key = `${subject.slice("item:".length)} ${versionAfter}`;
    if (recorded.has(key)) yield `${key}: the audit trail contains it twice`;
    recorded.add(key);
    const state = states.get(key);
    if (state === undefined) yield `${key}: the audit trail contains it, the history does not`;
    else if (!events[state]?.includes(event)) yield `${key}: the audit trail says ${event}, the history ${state}`;
    // A retry has the request id of the first attempt.
    if (requests.has(requestId)) yield `request ${requestId} had two effects`;
    requests.add(requestId);
  }
  for (const key of states.keys()) if (!recorded.has(key)) yield `${key}: the audit trail does not contain it`;
}

/** How long the server may accept revoked tokens, in microseconds. */
const graceUs = 1_000_000;

function* findAcceptedAfterRevocation(calls: readonly RecordedCall[]): Generator<string> {
  for (const [id, own] of Map.groupBy(callsOn(calls, "session"), ({ request }) => request.sessionId)) {
    const revocations = own.filter(({ request, result }) => request.kind === "revoke" && result?.ok);
    const revokedAt = Math.min(...revocations.map(({ endedAt }) => endedAt));
    for (const { request, result, begunAt } of own) {
      if (!result?.ok || request.kind === "revoke" || begunAt <= revokedAt + graceUs) continue;
      yield `session ${id}: a ${request.kind} at ${begunAt} succeeded, but the revocation was acknowledged at ${revokedAt}`;
    }
  }
}
