import type { Clock } from "../options/clock.js";

/** A clock that a test controls. */
export interface FakeClock extends Clock {
  /** Advances the clock by this many milliseconds. */
  pass(ms: number): void;
  /** The durations of all sleeps so far, in milliseconds. */
  readonly slept: readonly number[];
}

/** Options of the fake clock. */
export interface FakeClockOptions {
  /**
   * Whether the clock advances when a client waits, so that no wait takes real time. False: only `pass` advances it.
   * Default: true.
   */
  readonly autoAdvance?: boolean | undefined;
}

/**
 * Creates a clock that advances only when a test advances it or a client waits. For a wait, it advances to the end of the earliest
 * one after all other pending work has run.
 */
export function createFakeClock({ autoAdvance = true }: FakeClockOptions = {}): FakeClock {
  let now = 1_700_000_000_000;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const sleepers = new Set<{ readonly at: number; readonly signal: AbortSignal }>();
  const slept: number[] = [];
  let advancing = false;

  const pass = (ms: number) => {
    if (!Number.isFinite(ms)) throw new TypeError("pass: ms must be a finite number of milliseconds.");
    now += ms;
    for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
      if (timer.at <= now && timers.delete(timer)) timer.run();
    }
  };
  const after = (ms: number, run: () => void) => {
    const timer = { at: now + ms, run };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const advance = () => {
    advancing = true;
    nextTurn(() => {
      advancing = false;
      for (const sleeper of sleepers) if (sleeper.signal.aborted) sleepers.delete(sleeper);
      if (sleepers.size === 0) return;
      pass(Math.max(0, Math.min(...[...sleepers].map(({ at }) => at)) - now));
      advance();
    });
  };
  return {
    slept,
    pass,
    after,
    now: () => Math.floor(now),
    sleep(ms, signal) {
      slept.push(ms);
      return new Promise((resolve) => {
        const sleeper = { at: now + ms, signal };
        sleepers.add(sleeper);
        after(ms, () => {
          sleepers.delete(sleeper);
          if (!signal.aborted) resolve();
        });
        if (autoAdvance && !advancing) advance();
      });
    },
  };
}

/** Runs a function in the next turn of the event loop. Uses a MessageChannel, because tests often replace timers. */
function nextTurn(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(undefined);
}
