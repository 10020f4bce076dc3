import type { Clock, MachineClocks } from "../ports/clock.js";

/** A clock that stands still until it is told to move. */
export interface FakeClock extends Clock, MachineClocks {
  /** Moves the time by so many milliseconds. */
  advance(ms: number): void;
  /** Sets the wall clock forward or back by so many milliseconds, as an operator or NTP does. */
  step(ms: number): void;
}

/** A clock for tests, standing at `start` (milliseconds since the epoch). `now` is its wall clock. */
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
