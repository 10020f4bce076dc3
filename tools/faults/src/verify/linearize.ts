import type { Call, Model } from "@platform-rpc/server/testing";

/** A call whose result no order of the calls explains. */
export interface Violation<State, Request, Result> {
  readonly call: Call<Request, Result>;
  /** The states in which the object could be when the call was made. */
  readonly states: readonly State[];
}

/** One way to explain the calls so far: the state, and which of the open calls have already taken effect. */
interface Configuration<State> {
  readonly state: State;
  readonly done: ReadonlySet<number>;
}

/**
 * Checks that the calls on one object are linearizable: each seems to take effect at one moment between its begin and its end.
 * Returns the first call that contradicts this, or undefined.
 *
 * This is the algorithm of Wing and Gong with the memoisation of Lowe ("Testing for linearizability", 2016): it reads the begins
 * and ends in the order of time, and keeps every configuration that explains them. At the end of a call, it tries the open calls
 * in every order until that call has taken effect. A call without a response stays open for ever and may never take effect.
 */
export function findViolation<State, Request, Result>(
  model: Model<State, Request, Result>,
  calls: readonly Call<Request, Result>[],
): Violation<State, Request, Result> | undefined {
  const open = new Map<number, Call<Request, Result>>();
  let configurations: readonly Configuration<State>[] = [{ state: model.initial, done: new Set() }];
  for (const { at, ends } of eventsOf(calls)) {
    const call = calls[at];
    if (call === undefined) continue;
    if (!ends) {
      open.set(at, call);
      continue;
    }
    const explained = explain(model, open, configurations, at);
    if (explained.length === 0) return { call, states: configurations.map(({ state }) => state) };
    open.delete(at);
    configurations = explained;
    for (const [other, { result }] of open) {
      // No configuration needs it any more.
      if (result === undefined && configurations.every(({ done }) => done.has(other))) {
        open.delete(other);
        configurations = configurations.map(({ state, done }) => ({ state, done: without(done, other) }));
      }
    }
  }
  return undefined;
}

/** Returns the begins and ends of calls in the order of time. At the same time, begins are first: such calls overlap. */
function eventsOf(calls: readonly Call<unknown, unknown>[]) {
  const events = calls.flatMap(({ begunAt, endedAt, result }, at) => {
    const begin = { at, time: begunAt, ends: false };
    return result === undefined ? [begin] : [begin, { at, time: endedAt, ends: true }];
  });
  return events.sort((a, b) => a.time - b.time || Number(a.ends) - Number(b.ends));
}

/** Returns all configurations in which the call `ending` has taken effect. It is no longer among their open calls. */
function explain<State, Request, Result>(
  model: Model<State, Request, Result>,
  open: ReadonlyMap<number, Call<Request, Result>>,
  before: readonly Configuration<State>[],
  ending: number,
): Configuration<State>[] {
  const explained: Configuration<State>[] = [];
  const seen = new Set<string>();
  const pending = [...before];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { state, done } = settle(model, open, next);
    if (missesOne(model, open, { state, done })) continue;
    const key = `${[...done].sort().join()} ${model.keyOf(state)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (done.has(ending)) {
      explained.push({ state, done: without(done, ending) });
      continue;
    }
    for (const [at, { request, result }] of open) {
      const after = done.has(at) ? undefined : model.step(state, request, result);
      if (after !== undefined) pending.push({ state: after, done: new Set(done).add(at) });
    }
  }
  return explained;
}

/**
 * Marks calls as done that change neither this state nor a later one, such as reads: if they can take effect now, doing so excludes
 * nothing later. Also marks calls without a response that can no longer have an effect, so that equal states become equal configurations.
 */
function settle<State, Request, Result>(
  model: Model<State, Request, Result>,
  open: ReadonlyMap<number, Call<Request, Result>>,
  { state, done }: Configuration<State>,
): Configuration<State> {
  const key = model.keyOf(state);
  const settled = new Set(done);
  for (const [at, { request, result }] of open) {
    if (settled.has(at)) continue;
    const after = result === undefined ? state : model.step(state, request, result);
    if (after === undefined || model.keyOf(after) !== key) continue;
    if (model.spent(state, request, result)) settled.add(at);
  }
  return { state, done: settled };
}

/** Returns whether an open call can no longer have its result. */
function missesOne<State, Request, Result>(
  model: Model<State, Request, Result>,
  open: ReadonlyMap<number, Call<Request, Result>>,
  { state, done }: Configuration<State>,
): boolean {
  for (const [at, { result }] of open) {
    if (result !== undefined && !done.has(at) && model.missed(state, result)) return true;
  }
  return false;
}

function without(set: ReadonlySet<number>, member: number): ReadonlySet<number> {
  const rest = new Set(set);
  rest.delete(member);
  return rest;
}
