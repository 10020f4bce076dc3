import type { Call, Model } from "@platform-rpc/server/testing";

/** Tries every order of the calls. This is the definition of linearizability, and feasible for a few calls. */
export function someOrderExplains<State, Request, Result>(
  model: Model<State, Request, Result>,
  calls: readonly Call<Request, Result>[],
  state: State = model.initial,
): boolean {
  const ends = calls.flatMap(({ result, endedAt }) => (result === undefined ? [] : [endedAt]));
  // A call without a response may never take effect.
  if (ends.length === 0) return true;
  return calls.some((call) => {
    // A call that begins after the end of another takes effect after it.
    if (call.begunAt > Math.min(...ends)) return false;
    const after = model.step(state, call.request, call.result);
    const others = calls.filter((other) => other !== call);
    return after !== undefined && someOrderExplains(model, others, after);
  });
}
