import type { Clock } from "../ports/clock.js";

/** A clock that stands still until it is told to move. */
export interface FakeClock extends Clock {
  /** Moves the time by so many milliseconds. */
  advance(ms: number): void;
}

/** A clock for tests, standing at `start` (milliseconds since the epoch). */
export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}
