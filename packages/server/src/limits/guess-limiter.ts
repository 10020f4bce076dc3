import type { Clock } from "../ports/clock.js";
import type { GuessLimit, GuessLimiter } from "../ports/rate-limiter.js";
import { createRecentKeys } from "./recent-keys.js";

export interface GuessLimiterOptions {
  readonly clock: Clock;
  /** How long a miss counts, in milliseconds. Default: 10 minutes. */
  readonly windowMs?: number;
  /** The maximum number of keys. Default: 100 000. */
  readonly maxKeys?: number;
}

/**
 * Creates a limiter that counts misses exactly, in a sliding window, by storing their times.
 *
 * Whether a key had `most` misses in the window depends only on its `most`th newest miss, so each key stores no more times
 * than the largest `most` that was ever checked. The misses of a key are dropped only after misses of half of `maxKeys`
 * other keys.
 */
export function createGuessLimiter(options: GuessLimiterOptions): GuessLimiter {
  const { clock, windowMs = 600_000, maxKeys = 100_000 } = options;
  /** The times of misses, oldest first. */
  const misses = createRecentKeys<number[]>(maxKeys);
  let largestMost = 1;

  function blocked({ key, most }: GuessLimit): boolean {
    largestMost = Math.max(largestMost, most);
    if (most < 1) return true;
    const decisive = misses.get(key)?.at(-most);
    if (decisive === undefined) return false;
    const ago = clock.now() - decisive;
    // If a miss is in the future by the window or more, the clock was set back after it: the miss no longer counts.
    return ago < windowMs && ago > -windowMs;
  }

  function miss({ key }: GuessLimit): void {
    const times = misses.get(key) ?? [];
    times.push(clock.now());
    if (times.length > largestMost) times.shift();
    misses.set(key, times);
  }

  return {
    guess(limits): boolean {
      if (limits.some(blocked)) return false;
      limits.forEach(miss);
      return true;
    },

    pardon(keys) {
      for (const key of keys) misses.get(key)?.pop();
    },
  };
}
