/** The time, as a port: rules get it as a number, tests set it. */
export interface Clock {
  /** Milliseconds since the epoch, a whole number. */
  now(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() };
