import type { Decision } from "../../domain/model/decision.js";
import type { Ref } from "../../ports/storage.js";

/**
 * The time that every rejection takes, in milliseconds. The slowest decision without writes takes a fraction of it; the rest
 * of the request takes three times as long.
 */
const evenTime = 0.03;

/**
 * Returns whether the time of a decision must not reveal what exists: the decision is about an item, was made for a
 * principal, writes nothing and discloses nothing.
 *
 * The statement that loads the snapshot always takes the same steps, but an existing row costs a few hundred nanoseconds
 * more than a missing one, which a few thousand calls on an idle machine can measure.
 */
export function isRejection(ref: Ref, { writes, disclosed = false }: Omit<Decision<unknown>, "outcome">): boolean {
  return ref.kind === "item" && ref.principalId !== undefined && writes.length === 0 && !disclosed;
}

/** Lets a rejection take `evenTime` since `startedAt`. Uses a busy loop, because no timer is precise enough. */
export function evenOut(ref: Ref, decision: Decision<unknown>, startedAt: number): void {
  if (!isRejection(ref, decision)) return;
  const endsAt = startedAt + evenTime;
  while (performance.now() < endsAt);
}
