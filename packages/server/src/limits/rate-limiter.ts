import type { Clock } from "../ports/clock.js";
import type { RateLimiter } from "../ports/rate-limiter.js";
import { createRecentKeys } from "./recent-keys.js";

/** The clock and the size of a rate limiter. */
export interface RateLimiterOptions {
  readonly clock: Clock;
  /** The maximum number of buckets. Default: 100 000. */
  readonly maxKeys?: number;
}

/** A call is counted as 60 000 parts, so that a bucket refills by a whole number of parts each millisecond: `perMinute`. */
const partsOfCall = 60_000;

/** The calls left for a key, in parts, and the time of that count. */
interface Bucket {
  readonly parts: number;
  readonly at: number;
}

/**
 * Creates a limiter that uses token buckets, in bounded memory. `perMinute` and `burst` must be above 0.
 *
 * A dropped bucket counts as full. A bucket is dropped only after half of `maxKeys` other keys were used since its last use, so
 * a caller cannot refill one by dropping it: with that many keys, the caller has as many bursts anyway. When the clock steps
 * back, buckets do not change.
 */
export function createRateLimiter({ clock, maxKeys = 100_000 }: RateLimiterOptions): RateLimiter {
  const buckets = createRecentKeys<Bucket>(maxKeys);
  return {
    take(key, { perMinute, burst }) {
      const now = clock.now();
      const full = burst * partsOfCall;
      const { parts, at } = buckets.get(key) ?? { parts: full, at: now };
      const refilled = Math.min(full, parts + Math.max(0, now - at) * perMinute);
      const missing = partsOfCall - refilled;
      buckets.set(key, { parts: missing > 0 ? refilled : refilled - partsOfCall, at: now });
      return missing > 0 ? Math.ceil(missing / perMinute) : 0;
    },
  };
}
