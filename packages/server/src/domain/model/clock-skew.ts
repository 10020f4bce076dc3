/**
 * The largest difference between the clocks of two processes, in milliseconds. A stored time further in the future was written
 * before the clock was set back. A window that starts at such a time counts as closed.
 */
export const largestClockSkew = 5_000;

/** How long a retry gets the same tokens, in milliseconds. */
const replayWindow = 60_000;

/**
 * Returns whether a response of that time, in milliseconds since the epoch, may be repeated for a caller that lost it.
 *
 * @param windowMs for how long. Default: a minute.
 */
export function replayable(at: number, now: number, windowMs = replayWindow): boolean {
  return now - at < windowMs && now > at - largestClockSkew;
}
