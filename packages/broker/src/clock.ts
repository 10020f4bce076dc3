/** A source of the current time. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
}

/** The two clocks of a machine: the wall clock, which can be set, and one that never goes backwards. Both in milliseconds. */
export interface MachineClocks {
  readonly wall: () => number;
  readonly monotonic: () => number;
}

/** The longest life of a broker token, in milliseconds. After a larger step back, the clock follows the wall clock. */
const maxIgnoredStep = 900_000;

/** The wall clock is read in whole milliseconds, so it may seem to lag by less than this. */
const rounding = 2;

/** Creates a clock that ignores steps of the wall clock back by up to 15 minutes, so that none extends the life of a token or a proof. */
export function createSteadyClock({ wall, monotonic }: MachineClocks): Clock {
  let time = wall();
  let readAt = monotonic();
  return {
    now() {
      const expected = time + monotonic() - readAt;
      readAt = monotonic();
      const behind = expected - wall();
      time = behind < rounding || behind > maxIgnoredStep ? wall() : expected;
      return Math.floor(time);
    },
  };
}

export const systemClock: Clock = createSteadyClock({ wall: () => Date.now(), monotonic: () => performance.now() });
