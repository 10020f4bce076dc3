import { purgeableBefore } from "../domain/purge.js";
import type { Storage } from "../ports/storage.js";
import type { ClockWatch } from "./clock-watch.js";

/** How many records are removed in one statement. */
const batchSize = 1000;

/**
 * Creates the job that removes records a day after they expired, such as device authorizations, grants and sessions. It resolves with the number of removed
 * ones: 0 while the clock cannot be trusted, because purging cannot be undone. It may run concurrently. It works in batches, and
 * stops between two batches once `signal` is aborted.
 */
export function createPurgeExpired({ storage, clockWatch }: { storage: Storage; clockWatch: ClockWatch }) {
  return async (signal?: AbortSignal): Promise<number> => {
    let total = 0;
    while (signal?.aborted !== true) {
      // The batch uses the time of the reading that was checked.
      const { trusted, now } = await clockWatch.read();
      if (!trusted) break;
      const removed = await storage.purge(purgeableBefore(now), batchSize);
      total += removed;
      if (removed < batchSize) break;
    }
    return total;
  };
}
