import type { Clock } from "../clock.js";

/** Time that a test rules. */
export interface FakeClock extends Clock {
  /** Lets so many milliseconds pass at once. */
  pass(ms: number): void;
  /** How long the client has waited, each time, in milliseconds. */
  readonly slept: readonly number[];
}

/** A clock that stands still but for what a test, or the waiting of a client, lets pass: nothing ever really waits. */
export function createFakeClock(startsAt = 1_700_000_000_000): FakeClock {
  let now = startsAt;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const slept: number[] = [];
  const pass = (ms: number) => {
    now += ms;
    for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
      if (timer.at <= now && timers.delete(timer)) timer.run();
    }
  };
  return {
    slept,
    pass,
    now: () => Math.floor(now),
    async sleep(ms) {
      slept.push(ms);
      pass(ms);
    },
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
}
