import type { Decision } from "./model/decision.js";

/** Decides on a snapshot. Pure and synchronous. */
export type Rule<in Snapshot, out Outcome> = (snapshot: Snapshot) => Decision<Outcome>;

/**
 * Returns a function that makes a rule, for `Storage.transact`, of the arguments after the snapshot.
 *
 * `decide` is pure and synchronous. The time is an argument, read when the call is made: a storage decides calls in the order in which
 * they were made, so later decisions have later times.
 */
export function defineRule<Snapshot, Args extends readonly unknown[], Outcome>(
  decide: (snapshot: Snapshot, ...args: Args) => Decision<Outcome>,
): (...args: Args) => Rule<Snapshot, Outcome> {
  return (...args) =>
    (snapshot) =>
      decide(snapshot, ...args);
}
