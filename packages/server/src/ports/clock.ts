/**
 * A source of the current time. Rules get the time as a number; tests control the clock.
 *
 * @example
 * ```ts
 * import { type Clock, createMemoryKeyStore, createPlatform } from "@platform-rpc/server";
 *
 * const clock: Clock = { now: () => Date.UTC(2030, 0, 1) };
 * const names = { issuer: "https://id.example", audience: "https://api.example", brokerAudience: "https://b.example" };
 * await createPlatform({ storage, keys: createMemoryKeyStore(), clock, ...names });
 * console.log(new Date(clock.now()).toISOString());
 * // 2030-01-01T00:00:00.000Z
 * ```
 */
export interface Clock {
  /** Returns the milliseconds since the epoch, a whole number. */
  now(): number;
}

/** The two clocks of a machine. An operator or NTP can set the wall clock; nothing can set the monotonic clock. */
export interface MachineClocks {
  /** Reads the wall clock: milliseconds since the epoch, a whole number. */
  wall(): number;
  /** Reads the monotonic clock: milliseconds since an arbitrary moment. */
  monotonic(): number;
}

export const machineClocks: MachineClocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/** A clock that follows the wall clock forward, and ignores small backward steps. */
export interface SteadyClock extends Clock {
  /** Resumes from the last time of an earlier run (in ms since the epoch) if the wall clock is up to an hour behind it. */
  resume(lastTime: number): void;
  /** Sets the clock to the wall clock, even if that is earlier. Use it when the wall clock is known to be right. */
  follow(): void;
}

/** The largest backward step of the wall clock that is ignored, in milliseconds: the longest lifetime of any token. */
const largestIgnoredStep = 60 * 60 * 1000;

/** How far the wall clock may seem to lag because its readings are rounded, in milliseconds. */
const rounding = 2;

/**
 * Creates a clock for short windows: lifetimes of tokens and codes, polling intervals, replays.
 *
 * Setting the wall clock back would extend every open window. While the wall clock is behind by an hour or less, this clock keeps
 * running at the pace of the monotonic clock. It follows a larger step back: the times written before the step are then in the
 * future, and the rules reject times in the future.
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

/** The clock of this machine. It ignores backward steps of an hour or less. */
export const systemClock: Clock = createSteadyClock();
