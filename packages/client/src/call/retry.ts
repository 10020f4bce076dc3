import { isTransient } from "../error/create-error.js";
import type { PlatformError } from "../error/platform-error.js";

/** The wait before the nth retry is at most this times 2ⁿ. */
const baseDelayMs = 50;
const maxDelayMs = 5_000;

const budgetSize = 20;
const earnedBySuccess = 0.3;

/** Decides about retries. All calls of a client share one policy. */
export interface RetryPolicy {
  /** Returns the milliseconds to wait before the next attempt; undefined to stop. */
  delayAfter(error: PlatformError, attempt: number, maxAttempts: number): number | undefined;
  succeeded(): void;
}

/**
 * Creates a policy of exponential back-off with full jitter and a retry budget. The budget covers a server that fails one call in
 * five. Once it is spent, there are at most three retries for every ten calls that succeed.
 */
export function createRetryPolicy(): RetryPolicy {
  let budget = budgetSize;
  return {
    delayAfter(error, attempt, maxAttempts) {
      if (attempt >= maxAttempts || !isTransient(error) || budget < 1) return undefined;
      budget -= 1;
      const jitter = Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** attempt);
      return Math.ceil((error.retryAfterMs ?? 0) + jitter);
    },
    succeeded() {
      budget = Math.min(budgetSize, budget + earnedBySuccess);
    },
  };
}
