/** The time, as a port: rules get it as a number, tests set it. */
export interface Clock {
  /** Milliseconds since the epoch, a whole number. */
  now(): number;
}

/** The two clocks of a machine. An operator or NTP can set the first one; nobody can set the second one. */
export interface MachineClocks {
  /** The wall clock: milliseconds since the epoch, a whole number. */
  wall(): number;
  /** The monotonic clock: milliseconds since an arbitrary moment. */
  monotonic(): number;
}

/** The clocks of this machine. */
export const machineClocks: MachineClocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/** A clock that follows the wall clock forward, and does not follow it back. */
export interface SteadyClock extends Clock {
  /** Goes on from the last time of an earlier run (milliseconds since the epoch), if the wall clock is behind it by an hour or less. */
  resume(lastTime: number): void;
  /** Sets the clock to the wall clock, also backward: for when the wall clock is known to be right. */
  follow(): void;
}

/** The largest backward step of the wall clock that is not followed, in milliseconds: the longest life of any token. */
const largestIgnoredStep = 60 * 60 * 1000;

/** Reads of the wall clock are whole numbers, so that it may seem to lag by less than this, in milliseconds. */
const rounding = 2;

/**
 * Creates a clock for short windows: lives of tokens and codes, polling intervals, replays.
 *
 * A wall clock that is set back would extend every window that is open. While it is behind by an hour or less, this
 * clock runs on at the pace of the monotonic clock. A larger step back is followed: everything that was written
 * before then lies in the future, and the rules refuse what comes from the future.
 *
 * @example
 * ```ts
 * import { createSteadyClock } from "@platform-rpc/server";
 *
 * let wall = 1_700_000_000_000;
 * const steady = createSteadyClock({ wall: () => wall, monotonic: () => 0 });
 * wall -= 60_000;
 * console.log(steady.now());
 * // 1700000000000
 * ```
 */
export function createSteadyClock(clocks: MachineClocks = machineClocks): SteadyClock {
  let time = clocks.wall();
  let readAt = clocks.monotonic();

  const read = (): number => {
    const wall = clocks.wall();
    const monotonic = clocks.monotonic();
    const expected = time + (monotonic - readAt);
    const behind = expected - wall;
    time = behind < rounding || behind > largestIgnoredStep ? wall : expected;
    readAt = monotonic;
    return Math.floor(time);
  };

  return {
    now: read,
    resume(lastTime) {
      const behind = lastTime - read();
      if (behind > 0 && behind <= largestIgnoredStep) time = lastTime;
    },
    follow() {
      time = clocks.wall();
      readAt = clocks.monotonic();
    },
  };
}

/** The clock of this machine. It never runs backward by less than an hour. */
export const systemClock: Clock = createSteadyClock();
