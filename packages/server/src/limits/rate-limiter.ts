import type { Clock } from "../ports/clock.js";
import type { MemoryRateLimiter, Rate } from "../ports/rate-limiter.js";
import { createRecentKeys } from "./recent-keys.js";

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** The maximum number of buckets. Default: 100 000. */
  readonly maxKeys?: number;
}

/**
 * Creates a limiter that uses token buckets, in bounded memory. `perMinute` and `burst` must be above 0.
 *
 * A dropped bucket counts as full. A bucket is dropped only after half of `maxKeys` other keys were used since its last use, so
 * a caller cannot refill one by dropping it: with that many keys, the caller has as many bursts anyway. When the clock steps
 * back, buckets do not change.
 */
export function createRateLimiter({ clock, maxKeys = 100_000 }: RateLimiterOptions): MemoryRateLimiter {
  const buckets = createRecentKeys<Bucket>(maxKeys);
  return {
    take(key, rate) {
      const bucket = takeCall(buckets.get(key), rate, clock.now());
      buckets.set(key, bucket);
      return bucket.waitMs;
    },
  };
}

/** A call is counted as 60 000 parts, so that a bucket refills by a whole number of parts, `perMinute`, each millisecond. */
const partsOfCall = 60_000;

/** The calls left for a key, in parts, and the time of that count. */
interface Bucket {
  readonly parts: number;
  readonly at: number;
}

/** A bucket from which one call was taken, if one was available. */
interface TakenBucket extends Bucket {
  /** 0 if a call was taken, otherwise the milliseconds until one is available. */
  readonly waitMs: number;
}

/** Takes one call from a bucket. Undefined is a full bucket. */
function takeCall(bucket: Bucket | undefined, { perMinute, burst }: Rate, now: number): TakenBucket {
  const full = burst * partsOfCall;
  const { parts, at } = bucket ?? { parts: full, at: now };
  const refilled = Math.min(full, parts + Math.max(0, now - at) * perMinute);
  const missing = partsOfCall - refilled;
  return missing > 0
    ? { parts: refilled, at: now, waitMs: Math.ceil(missing / perMinute) }
    : { parts: refilled - partsOfCall, at: now, waitMs: 0 };
}
