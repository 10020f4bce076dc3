import type { Clock, MachineClocks } from "../ports/clock.js";

/** A clock for tests. Its time changes only by `advance` and `step`. */
export interface FakeClock extends Clock, MachineClocks {
  /** Advances both clocks by `ms` milliseconds. */
  advance(ms: number): void;
  /** Sets the wall clock forward or back by `ms` milliseconds, as an operator or NTP does. */
  step(ms: number): void;
}

/** Creates a clock for tests, set to `start` in milliseconds since the epoch. `now` reads its wall clock. */
export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let wall = start;
  let monotonic = 0;
  return {
    now: () => wall,
    wall: () => wall,
    monotonic: () => monotonic,
    advance(ms) {
      wall += ms;
      monotonic += ms;
    },
    step(ms) {
      wall += ms;
    },
  };
}
