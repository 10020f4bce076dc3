import type { Stored } from "./stored.ts";

/** The events that make an item live, and the one that deletes it. */
const events: Readonly<Record<string, readonly string[]>> = {
  live: ["created", "replaced", "restored"],
  deleted: ["deleted"],
  shredded: ["deleted"],
};

/** Lists differences between the audit trail and the effects: each change has one record, and each record a change. */
export function* findWrongAudit({ changes, audit }: Stored): Generator<string> {
  const states = new Map(
    changes.map(({ vaultId, itemId, version, state }) => [`${vaultId}/${itemId} ${version}`, state]),
  );
  const recorded = new Set<string>();
  const requests = new Set<string>();
  for (const { subject, event, versionAfter, requestId } of audit) {
    if (!subject.startsWith("item:") || event === "shredded") continue;
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
