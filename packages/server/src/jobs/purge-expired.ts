import type { Storage } from "../ports/storage.js";
import type { ClockWatch } from "./clock-watch.js";

/**
 * How long expired device authorizations, grants and records are kept, in milliseconds: a day.
 *
 * - A device authorization is needed until the tokens of its code expire, so that a foreign caller who sends the code revokes them:
 *   15 minutes after it expires. The idempotency key, stored with it, is needed for a minute after the code was consumed.
 * - A grant and its revocations are needed until the tokens of the grant expire. A token whose grant does not exist counts as revoked.
 * - A record counts as absent once it has expired.
 *
 * The rest of the day covers the differences between clocks: the time is trusted up to an hour.
 */
const keptAfterExpiry = 24 * 60 * 60 * 1000;

/** Returns the time before which a row must have expired to be purged, in milliseconds since the epoch. */
export function purgeableBefore(now: number): number {
  return now - keptAfterExpiry;
}

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
