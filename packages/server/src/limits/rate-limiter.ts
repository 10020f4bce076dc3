import type { Clock } from "../ports/clock.js";
import type { MemoryRateLimiter } from "../ports/rate-limiter.js";
import { createRecentKeys } from "./recent-keys.js";
import { type Bucket, takeCall } from "./token-bucket.js";

/** The clock and the size of a rate limiter. */
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
 *
 * @example
 * ```ts
 * import { createRateLimiter } from "@platform-rpc/server";
 *
 * const limiter = createRateLimiter({ clock });
 * const rate = { perMinute: 60, burst: 1 };
 * console.log(limiter.take("key-1", rate), limiter.take("key-1", rate));
 * // 0 1000
 * ```
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
