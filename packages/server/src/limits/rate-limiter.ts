import type { Clock } from "../ports/clock.js";
import type { RateLimiter } from "../ports/rate-limiter.js";
import { createRecentKeys } from "./recent-keys.js";

/** How many buckets are kept. */
export interface RateLimiterOptions {
  readonly clock: Clock;
  /** How many buckets are kept at most. Default: 100 000. */
  readonly maxKeys?: number;
}

/** Calls are counted in 60 000ths: `perMinute` of them come back each millisecond, and whole numbers stay whole. */
const partsOfCall = 60_000;

/** A key's calls to take, in parts, and when that was so. */
interface Bucket {
  readonly parts: number;
  readonly at: number;
}

/**
 * Limits rates with token buckets, in bounded memory. `perMinute` and `burst` are above 0.
 *
 * A forgotten bucket is a full one. Nobody has an empty bucket forgotten by hammering it, for that keeps it in use; it
 * takes half of `maxKeys` other keys before it has refilled, and whoever has that many keys has as many bursts anyway. A
 * clock that steps back gives nothing and takes nothing.
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
