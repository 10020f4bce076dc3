/** A rate limit: a token bucket of `burst` calls, refilled with `perMinute` calls per minute. */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/** Limits the rate of calls. */
export interface RateLimiter {
  /** Takes one call from the bucket of `key`. Returns 0, or the milliseconds until a call is available. */
  take(key: string, rate: Rate): number;
}

/** Counts wrong guesses in a sliding window. */
export interface GuessLimiter {
  /** Returns whether `key` has had `most` misses or more in the window. */
  blocked(key: string, most: number): boolean;
  /** Counts a guess as a miss. Call it before you check the guess, so that concurrent guesses cannot exceed the limit. */
  miss(key: string): void;
  /** Removes the newest miss. Call it when the guess was right. */
  pardon(key: string): void;
}
