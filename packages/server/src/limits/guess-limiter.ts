import type { Clock } from "../ports/clock.js";
import type { GuessLimiter } from "../ports/rate-limiter.js";
import { createRecentKeys } from "./recent-keys.js";

/** How long misses count, and how many keys are kept. */
export interface GuessLimiterOptions {
  readonly clock: Clock;
  /** How long a miss counts, in milliseconds. Default: 10 minutes. */
  readonly windowMs?: number;
  /** How many keys are kept at most. Default: 100 000. */
  readonly maxKeys?: number;
}

/**
 * Counts misses exactly, in a sliding window: it keeps their times.
 *
 * Whether there were `most` misses in the window is a question about the `most`th newest alone, so no more times are kept
 * of a key than the largest `most` that was ever asked about. The misses of a key are forgotten only when half of
 * `maxKeys` other keys have missed since.
 */
export function createGuessLimiter(options: GuessLimiterOptions): GuessLimiter {
  const { clock, windowMs = 600_000, maxKeys = 100_000 } = options;
  /** The times of misses, oldest first. */
  const misses = createRecentKeys<number[]>(maxKeys);
  let largestMost = 1;

  return {
    blocked(key, most) {
      largestMost = Math.max(largestMost, most);
      if (most < 1) return true;
      const decisive = misses.get(key)?.at(-most);
      if (decisive === undefined) return false;
      const ago = clock.now() - decisive;
      // After the clock was set back by more than the window: a miss in the future is an old one.
      return ago < windowMs && ago > -windowMs;
    },

    miss(key) {
      const times = misses.get(key) ?? [];
      times.push(clock.now());
      if (times.length > largestMost) times.shift();
      misses.set(key, times);
    },

    pardon(key) {
      misses.get(key)?.pop();
    },
  };
}
