import { setTimeout as sleep } from "node:timers/promises";
import { StatementError } from "./database.js";
import type { Failure } from "./postgres-error.js";

/** Runs work again as long as it may help. */
export type Retry = <T>(work: () => Promise<T>) => Promise<T>;

const firstPause = 20;
const longestPause = 500;

/**
 * Creates a function that tries again for a while, with growing pauses of random length: a failover takes seconds, and not all
 * processes should come back at the same moment.
 *
 * @param forMs how long to try, in milliseconds
 * @param failures the failures after which it tries again. "unknown" is only for work without an effect, such as a read.
 */
export function createRetry(forMs: number, failures: readonly Exclude<Failure, "rejected">[]): Retry {
  const mayHelp = (error: unknown): boolean =>
    error instanceof StatementError && failures.some((failure) => failure === error.failure);
  return async (work) => {
    const until = performance.now() + forMs;
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        return await work();
      } catch (error) {
        if (!mayHelp(error) || performance.now() + pause > until) throw error;
      }
      await sleep(pause * (0.5 + Math.random()));
    }
  };
}
