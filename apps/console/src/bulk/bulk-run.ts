export type Outcome<Result> =
  | { readonly outcome: "done"; readonly result: Result }
  /** The target was changed in the meantime, so that nothing was done. */
  | { readonly outcome: "conflict" }
  | { readonly outcome: "failed"; readonly error: unknown };

/** How a call ended for each of its targets, in their order; or after how many milliseconds the server accepts the same call. */
export type CallResult<Result> = { readonly outcomes: readonly Outcome<Result>[] } | { readonly laterMs: number };

/** Where a run is. Another object after each change. */
interface BulkSnapshot<Target, Result> {
  /** `stopping`: no new call is started, and some are still running. */
  readonly state: "running" | "stopping" | "ended";
  readonly total: number;
  /** The targets whose calls have ended. Those that are missing were in no call yet. */
  readonly outcomes: ReadonlyMap<Target, Outcome<Result>>;
}

/** Calls an operation for many targets, with a few calls at a time. */
export interface BulkRun<Target, Result> {
  readonly snapshot: () => BulkSnapshot<Target, Result>;
  readonly subscribe: (listener: () => void) => () => void;
  /** Starts no further call. Those that are running end. */
  stop(): void;
  /** Calls the operation for the targets that failed or were in no call. Does nothing before the run has ended. */
  again(): void;
}

interface BulkRunOptions<Target, Result> {
  readonly targets: readonly Target[];
  divide(targets: readonly Target[]): readonly (readonly Target[])[];
  /** Calls the operation for some targets. Never rejects. */
  call(targets: readonly Target[]): Promise<CallResult<Result>>;
  /** Default: a timer. */
  sleep?(ms: number): Promise<void>;
}

const mostInFlight = 6;

const noOutcome = {
  outcome: "failed",
  error: new Error("The response does not say what became of the item."),
} as const;

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export function startBulkRun<Target, Result>(options: BulkRunOptions<Target, Result>): BulkRun<Target, Result> {
  const { targets, divide, call, sleep = wait } = options;
  const outcomes = new Map<Target, Outcome<Result>>();
  const listeners = new Set<() => void>();
  let waiting: (readonly Target[])[] = [];
  let workers = 0;
  let stopped = false;
  // Once the server does not accept a call, the others are made one after the other: together they would be rejected again and again.
  let lane: Promise<unknown> | undefined;
  let current: BulkSnapshot<Target, Result>;
  const update = () => {
    const state = workers === 0 ? "ended" : stopped ? "stopping" : "running";
    current = { state, total: targets.length, outcomes };
    for (const listener of listeners) listener();
  };

  /** Resolves with undefined if the run is stopped before the server accepts the call. */
  const outcomesOf = async (batch: readonly Target[]): Promise<readonly Outcome<Result>[] | undefined> => {
    const first = lane === undefined ? await call(batch) : undefined;
    if (first !== undefined && "outcomes" in first) return first.outcomes;
    const turn = callInTurn(batch, [lane, first && sleep(first.laterMs)]);
    lane = turn;
    return turn;
  };

  const callInTurn = async (batch: readonly Target[], before: readonly (Promise<unknown> | undefined)[]) => {
    await Promise.all(before);
    while (!stopped) {
      const result = await call(batch);
      if ("outcomes" in result) return result.outcomes;
      await sleep(result.laterMs);
    }
    return undefined;
  };

  const work = async (): Promise<void> => {
    while (!stopped) {
      const batch = waiting.shift();
      if (batch === undefined) break;
      const ended = await outcomesOf(batch);
      if (ended === undefined) break;
      for (const [index, target] of batch.entries()) outcomes.set(target, ended[index] ?? noOutcome);
      update();
    }
    workers -= 1;
    if (workers === 0) update();
  };

  const start = () => {
    stopped = false;
    lane = undefined;
    waiting = [...divide(targets.filter((target) => !outcomes.has(target)))];
    workers = Math.min(mostInFlight, waiting.length);
    update();
    for (let started = workers; started > 0; started -= 1) void work();
  };

  start();
  return {
    snapshot: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      stopped = true;
      update();
    },
    again() {
      if (workers > 0) return;
      for (const [target, { outcome }] of outcomes) if (outcome === "failed") outcomes.delete(target);
      start();
    },
  };
}

export interface BulkSummary<Target> {
  readonly done: readonly Target[];
  readonly conflicts: readonly Target[];
  readonly failures: readonly { readonly target: Target; readonly error: unknown }[];
  /** How many were in no call, because the run was stopped. */
  readonly left: number;
}

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
