import { isError, isTransient } from "./failure.js";
import type { PlatformError } from "./platform-error.js";

/** How failed calls are sent again. What may be sent again is told by the contract, not by these. */
export interface RetryOptions {
  /** How often a call is sent at most, the first time included, but for once more after a rejected token. Default: 4. */
  readonly maxAttempts?: number | undefined;
  /** Milliseconds that one attempt may take, within the time of the call. Default: 30 000, as long as the server lets any. */
  readonly attemptTimeoutMs?: number | undefined;
}

/**
 * When a call is sent: milliseconds to wait before its next attempt, undefined when there is to be none. `answer` is what
 * came of the attempts so far, which are none at first.
 */
export type RetryPolicy<Answer extends object = object> = (
  answer: Answer | PlatformError | undefined,
  attempts: number,
) => number | undefined;

/** The wait before the nth retry is at most this times 2ⁿ. */
const baseDelayMs = 50;
const maxDelayMs = 5_000;

const budgetSize = 20;
const earnedBySuccess = 0.3;

/**
 * Exponential back-off with full jitter. The budget lets through what a server needs that fails one call in five; once it
 * is spent, there are at most three retries for ten calls that succeed. One for each client: all its calls share the budget.
 */
export const createRetryPolicy = (maxAttempts: number): RetryPolicy => {
  let budget = budgetSize;
  return (answer, attempts) => {
    if (!answer) return 0;
    if (!isError(answer)) budget = Math.min(budgetSize, budget + earnedBySuccess);
    else if (attempts < maxAttempts && isTransient(answer) && budget >= 1) {
      budget -= 1;
      const jitter = Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** attempts);
      return Math.ceil((answer.retryAfterMs ?? 0) + jitter);
    }
    return undefined;
  };
};
