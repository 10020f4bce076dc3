import { setTimeout as sleep } from "node:timers/promises";
import { StatementError } from "./database.js";

/** Runs work again as long as it may help. The work must have no effect when it fails, or be a read. */
export type Retry = <T>(work: () => Promise<T>) => Promise<T>;

const firstPause = 20;
const longestPause = 500;

/**
 * Creates a function that tries again for a while, with growing pauses of random length: a failover takes seconds, and not all
 * processes should come back at the same moment.
 *
 * @param forMs how long to try, in milliseconds
 */
export function createRetry(forMs: number): Retry {
  return async (work) => {
    const until = performance.now() + forMs;
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StatementError) || error.failure === "rejected" || performance.now() + pause > until)
          throw error;
      }
      await sleep(pause * (0.5 + Math.random()));
    }
  };
}
