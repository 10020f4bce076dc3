/** How often something may happen: a bucket of `burst`, refilled at `perMinute`. */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/** Counts calls. */
export interface RateLimiter {
  /** Takes one from the bucket of `key`: 0, or the milliseconds until there will be one to take. */
  take(key: string, rate: Rate): number;
}

/** Counts wrong guesses in a sliding window. */
export interface GuessLimiter {
  /** Whether `key` has had `most` misses in the window, or more. */
  blocked(key: string, most: number): boolean;
  /** Counts a guess as a miss: before it is known to be one, so that guesses side by side cannot slip past the limit. */
  miss(key: string): void;
  /** Takes the newest miss back: the guess was right. */
  pardon(key: string): void;
}
