import type { Ref } from "../../ports/storage.js";

/**
 * How long a decision that writes nothing takes, in milliseconds: several times as long as the slowest of them, and a
 * third of what its request costs anyway.
 */
const evenTime = 0.03;

/**
 * Whether a decision must not show by its time what it found: one in the name of a principal, that wrote nothing.
 *
 * The statement that loads its snapshot always takes the same steps, but a row that is found costs a few hundred
 * nanoseconds more than one that is not, and on a quiet machine a few thousand calls show as little as that.
 */
export function refuses(ref: Ref, writes: readonly unknown[]): boolean {
  return ref.kind === "item" && ref.principalId !== undefined && writes.length === 0;
}

/** Waits until the even time since `startedAt` is over: busily, because no timer is so exact. */
export function evenOut(startedAt: number): void {
  const endsAt = startedAt + evenTime;
  while (performance.now() < endsAt);
}
