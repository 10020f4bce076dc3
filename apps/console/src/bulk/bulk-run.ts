/** How the call for one target ended. */
export type Outcome<Result> =
  | { readonly outcome: "done"; readonly result: Result }
  /** The target was changed in the meantime, so that nothing was done. */
  | { readonly outcome: "conflict" }
  | { readonly outcome: "failed"; readonly error: unknown };

/** The server accepts the same call after a time: the rate limit is reached. */
export interface Later {
  readonly outcome: "later";
  readonly ms: number;
}

/** Where a run is. Another object after each change. */
interface BulkSnapshot<Target, Result> {
  /** `stopping`: no new call is started, and some are still running. */
  readonly state: "running" | "stopping" | "ended";
  readonly total: number;
  /** The targets whose calls have ended. Those that are missing were not called yet. */
  readonly outcomes: ReadonlyMap<Target, Outcome<Result>>;
}

/** Calls an operation for many targets, a few at a time. */
export interface BulkRun<Target, Result> {
  readonly snapshot: () => BulkSnapshot<Target, Result>;
  readonly subscribe: (listener: () => void) => () => void;
  /** Starts no further call. Those that are running end. */
  stop(): void;
  /** Calls the targets that failed or were not called. Does nothing before the run has ended. */
  again(): void;
}

interface BulkRunOptions<Target, Result> {
  readonly targets: readonly Target[];
  /** Calls the operation for one target. Never rejects. */
  call(target: Target): Promise<Outcome<Result> | Later>;
  /** Resolves after a time in milliseconds. */
  sleep(ms: number): Promise<void>;
}

/** How many calls run at the same time. */
const mostInFlight = 6;

export function startBulkRun<Target, Result>(options: BulkRunOptions<Target, Result>): BulkRun<Target, Result> {
  const { targets, call, sleep } = options;
  const outcomes = new Map<Target, Outcome<Result>>();
  const listeners = new Set<() => void>();
  let waiting: Target[] = [];
  let workers = 0;
  let stopped = false;
  let current: BulkSnapshot<Target, Result>;
  const update = () => {
    const state = workers === 0 ? "ended" : stopped ? "stopping" : "running";
    current = { state, total: targets.length, outcomes };
    for (const listener of listeners) listener();
  };

  /** Returns undefined if the run was stopped before the server accepted the call. */
  const outcomeOf = async (target: Target): Promise<Outcome<Result> | undefined> => {
    while (!stopped) {
      const ended = await call(target);
      if (ended.outcome !== "later") return ended;
      await sleep(ended.ms);
    }
    return undefined;
  };

  const work = async (): Promise<void> => {
    while (!stopped) {
      const target = waiting.shift();
      if (target === undefined) break;
      const ended = await outcomeOf(target);
      if (ended === undefined) break;
      outcomes.set(target, ended);
      update();
    }
    workers -= 1;
    if (workers === 0) update();
  };

  const start = () => {
    stopped = false;
    waiting = targets.filter((target) => !outcomes.has(target));
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
