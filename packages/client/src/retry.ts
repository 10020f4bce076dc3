import type { Operation } from "./contract.js";
import type { PlatformError } from "./platform-error.js";
import { isTransient, repeatable } from "./retry-safety.js";

/** How failed calls are sent again. What may be sent again is told by the contract, not by these. */
export interface RetryOptions {
  /** How often a call is sent at most, the first time included. Default: 4. */
  readonly maxAttempts?: number | undefined;
  /** Milliseconds that one attempt may take, within the time of the call. Default: all that is left. */
  readonly attemptTimeoutMs?: number | undefined;
  /** The wait before the first retry is at most so many milliseconds; doubles with each. Default: 100. */
  readonly baseDelayMs?: number | undefined;
  /** No wait is longer, unless the server asks for it. Default: 5 000. */
  readonly maxDelayMs?: number | undefined;
  /** Gives numbers from 0 to below 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Decides whether and when a failed call is sent again. One for each client: all its calls share the budget. */
export interface Retries {
  readonly attemptTimeoutMs: number;
  /** Milliseconds to wait before the next attempt; undefined when there is to be none. */
  delay(error: PlatformError, operation: Operation, attempt: number, left: number): number | undefined;
  /** Notes that a call succeeded, which earns a part of a retry. */
  succeeded(): void;
}

const budgetSize = 20;
const earnedBySuccess = 0.3;

/**
 * Exponential back-off with full jitter. The budget lets through what a server needs that fails one call in five; once it
 * is spent, there are at most three retries for ten calls that succeed.
 *
 * @throws TypeError when an option is not acceptable.
 */
export function createRetries(options: RetryOptions | false = {}): Retries {
  const {
    maxAttempts = 4,
    attemptTimeoutMs = Number.POSITIVE_INFINITY,
    baseDelayMs = 100,
    maxDelayMs = 5_000,
    random = Math.random,
  } = options || { maxAttempts: 1 };
  // Also what is no number at all is not above.
  const lowest = [maxAttempts - 1, attemptTimeoutMs - 1, baseDelayMs, maxDelayMs];
  if (!lowest.every((number) => number >= 0)) throw new TypeError("retry holds a number that is too low, or none");
  let budget = budgetSize;
  return {
    attemptTimeoutMs,
    delay(error, operation, attempt, left) {
      const jitter = random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
      const delay = Math.round((error.retryAfterMs ?? 0) + jitter);
      // Within one call the Idempotency-Key stays the same.
      const allowed = attempt < maxAttempts && isTransient(error) && repeatable(operation, true);
      if (!allowed || delay >= left || budget < 1) return undefined;
      budget -= 1;
      return delay;
    },
    succeeded() {
      budget = Math.min(budgetSize, budget + earnedBySuccess);
    },
  };
}
