/** The time as a client sees it. Replace it only in tests. */
export interface Clock {
  /** Whole milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds. Need not resolve once the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Runs a function after so many milliseconds. Returns a function that prevents it. */
  after(ms: number, run: () => void): () => void;
}

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      // Assigned, not added: one signal sees many sleeps, one at a time.
      signal.onabort = systemClock.after(ms, resolve);
    }),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
