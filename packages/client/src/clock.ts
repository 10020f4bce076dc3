/** Time, as a client sees it. Give another one only in tests. */
export interface Clock {
  /** Whole milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds. Need not do so once the signal is aborted: then nobody waits for it. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Runs something after so many milliseconds, unless the function that it returns is called before. */
  after(ms: number, run: () => void): () => void;
}

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      // No listener more with each sleep: nobody sleeps twice at once.
      signal.onabort = systemClock.after(ms, resolve);
    }),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
