import type { Clock } from "../clock.js";

/** A clock that a test controls. */
export interface FakeClock extends Clock {
  /** Moves the time forward by so many milliseconds. */
  pass(ms: number): void;
  /** The waits of the client, in milliseconds. */
  readonly slept: readonly number[];
}

/** How time passes. */
export interface FakeClockOptions {
  /**
   * Whether time passes when a client waits for it, so that no wait takes real time. False: it passes only by `pass`.
   * Default: true.
   */
  readonly autoAdvance?: boolean | undefined;
}

/**
 * Creates a clock that moves only when a test moves it or a client waits. It moves to the end of the earliest wait once everything
 * else has run.
 */
export function createFakeClock({ autoAdvance = true }: FakeClockOptions = {}): FakeClock {
  let now = 1_700_000_000_000;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const sleepers = new Set<{ readonly at: number; readonly signal: AbortSignal }>();
  const slept: number[] = [];
  let goesOn = false;

  const pass = (ms: number) => {
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
  const goOn = () => {
    goesOn = true;
    nextTurn(() => {
      goesOn = false;
      for (const sleeper of sleepers) if (sleeper.signal.aborted) sleepers.delete(sleeper);
      if (sleepers.size === 0) return;
      pass(Math.max(0, Math.min(...[...sleepers].map(({ at }) => at)) - now));
      goOn();
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
        if (autoAdvance && !goesOn) goOn();
      });
    },
  };
}

/** By messages, because tests like to replace timers. */
function nextTurn(run: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(undefined);
}
