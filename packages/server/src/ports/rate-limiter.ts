/** A rate limit: a token bucket of `burst` calls, refilled with `perMinute` calls per minute. */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/** Limits the rate of calls. */
export interface RateLimiter {
  /**
   * Takes one call from the bucket of `key`. Returns 0, or the milliseconds until a call is available; without a promise when the
   * bucket is known to this process.
   *
   * @throws StorageError (as a rejection) when the bucket cannot be read.
   */
  take(key: string, rate: Rate): number | Promise<number>;
}

/** A rate limiter that knows every bucket. */
export interface MemoryRateLimiter extends RateLimiter {
  take(key: string, rate: Rate): number;
}

/** The largest number of misses of a key in the window. */
export interface GuessLimit {
  readonly key: string;
  readonly most: number;
}

/** Counts wrong guesses in a sliding window. */
export interface GuessLimiter {
  /**
   * Counts a guess as a miss of each key, in one atomic step, unless one of the keys has had its largest number of misses or more.
   * Returns whether it was counted. Call it before you check the guess, so that concurrent guesses cannot exceed a limit.
   *
   * @throws StorageError (as a rejection) when the misses cannot be read.
   */
  guess(limits: readonly GuessLimit[]): boolean | Promise<boolean>;
  /** Removes the newest miss of each key. Call it when the guess was right. */
  pardon(keys: readonly string[]): void | Promise<void>;
}
