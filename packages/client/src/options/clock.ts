/** The clock of a client. Replace it only in tests. */
export interface Clock {
  /** Returns whole milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after this many milliseconds. May never resolve once the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Runs a function after this many milliseconds. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The limit of timers, about 25 days. A timer above it would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      // Assigned, not added as a listener: the same signal is used for many sleeps, one at a time.
      signal.onabort = systemClock.after(ms, resolve);
    }),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, maxTimerMs));
    return () => clearTimeout(timer);
  },
};
