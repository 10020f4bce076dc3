type Positions = Readonly<Record<string, number>>;

interface Position {
  readonly vaultId: string;
  readonly sequence: number;
}

export interface WatchSnapshot {
  /** `offline`: the server does not answer, and is asked again. */
  readonly state: "loading" | "live" | "offline";
  readonly positions: Positions | undefined;
  /** Since when the server does not answer, in milliseconds since the epoch. Undefined unless it is offline. */
  readonly offlineSince: number | undefined;
}

export interface VaultWatchOptions {
  /** Asks where the vaults are. With a state, the server waits for another one. */
  ask(state: string, signal: AbortSignal): Promise<{ readonly state: string; readonly cursors: readonly Position[] }>;
  /** Resolves after a time in milliseconds, or when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** The time in milliseconds since the epoch. Default: the clock of the browser. */
  now?(): number;
}

const firstBackOffMs = 500;
/** The longest times between two calls, in milliseconds: while the server is away, and while it only rejects calls that wait. */
const longestBackOffMs = { offline: 8_000, live: 2_000, loading: 2_000 };

/** A server that does not answer a call that does not wait is away, in milliseconds. */
const lateMs = 450;

export type VaultWatch = ReturnType<typeof createVaultWatch>;

/** Creates what knows where the vaults are. One tab of the browser asks the server, and the others know it from there. */
export function createVaultWatch({ ask, sleep, now = Date.now }: VaultWatchOptions) {
  let current: WatchSnapshot = { state: "loading", positions: undefined, offlineSince: undefined };
  /** Ends what can be ended early: a call that waits, or the time until the next one. */
  let pause = new AbortController();
  const listeners = new Set<() => void>();
  /** For which positions a vault was called changed. */
  const told = new Map<string, Positions>();

  const set = (next: WatchSnapshot) => {
    const same = JSON.stringify(next.positions) === JSON.stringify(current.positions);
    if (same && next.state === current.state && next.offlineSince === current.offlineSince) return;
    current = same ? { ...next, positions: current.positions } : next;
    for (const listener of listeners) listener();
  };
  const setOffline = () => set({ ...current, state: "offline", offlineSince: current.offlineSince ?? now() });
  const isNews = ({ vaultId, sequence }: Position, positions: Positions) =>
    positions !== told.get(vaultId) && positions[vaultId] !== sequence;

  return {
    snapshot: () => current,
    /** Takes the place of what is known. */
    set,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Asks the server again and again, until the signal is aborted. Never rejects. */
    async run(signal: AbortSignal): Promise<void> {
      let failures = 0;
      for (let known = ""; !signal.aborted; ) {
        pause = new AbortController();
        const ended = AbortSignal.any([signal, pause.signal]);
        const waits = known !== "";
        const answered = new AbortController();
        if (!waits && current.state === "live") {
          void sleep(lateMs, answered.signal).then(() => answered.signal.aborted || signal.aborted || setOffline());
        }
        try {
          const { state, cursors } = await ask(known, waits ? ended : signal);
          if (waits || current.state === "offline") failures = 0;
          known = state;
          const positions = Object.fromEntries(cursors.map(({ vaultId, sequence }) => [vaultId, sequence]));
          if (!signal.aborted) set({ state: "live", positions, offlineSince: undefined });
        } catch {
          known = "";
          failures += 1;
          // Whatever ended a call that waits, the next one says whether the server is there.
          if (!waits && !signal.aborted) setOffline();
        }
        answered.abort();
        if (waits || failures === 0) continue;
        await sleep(Math.min(firstBackOffMs * 2 ** (failures - 1), longestBackOffMs[current.state]), ended);
        if (ended.aborted) known = "";
      }
    },

    /** Asks at once whether the server is still there: a call has failed. */
    doubt() {
      if (current.state === "live") pause.abort();
    },
    /** Asks at once whether the server is there again. */
    retry: () => pause.abort(),

    /** Resolves when a vault is not where a copy of it is: once for the same positions, so that a copy that is ahead does not ask on and on. */
    changed(copy: Position, signal: AbortSignal): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = () => {
        if (signal.aborted) return resolve();
        if (current.positions === undefined || !isNews(copy, current.positions)) return;
        told.set(copy.vaultId, current.positions);
        resolve();
      };
      listeners.add(check);
      signal.addEventListener("abort", check);
      check();
      return promise.finally(() => {
        listeners.delete(check);
        signal.removeEventListener("abort", check);
      });
    },
  };
}
