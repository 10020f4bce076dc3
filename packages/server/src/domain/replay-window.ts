import { largestClockSkew } from "./clock-agreement.js";

/** How long a retry gets the same tokens, in milliseconds. */
const replayWindow = 60_000;

/** Returns whether a response of that time, in milliseconds since the epoch, may be repeated for a caller that lost it. */
export function replayable(at: number, now: number): boolean {
  return now - at < replayWindow && now > at - largestClockSkew;
}
