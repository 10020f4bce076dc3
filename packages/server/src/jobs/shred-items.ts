import { shredItem } from "../domain/shred-item.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { ClockWatch } from "./clock-watch.js";

const batchSize = 64;

/**
 * Creates the job that removes the content of every tombstone whose retention has ended. It resolves with the number of shredded
 * items: 0 while the clock cannot be trusted, because shredding cannot be undone. It may run concurrently: each item is shredded
 * once. It works in batches, and stops between two batches once `signal` is aborted.
 */
export function createShredItems(deps: { storage: Storage; clockWatch: ClockWatch; secrets: Secrets }) {
  const { storage, clockWatch, secrets } = deps;
  return async (signal?: AbortSignal): Promise<number> => {
    let total = 0;
    while (signal?.aborted !== true) {
      // The batch uses the time of the reading that was checked.
      const { trusted, now } = await clockWatch.read();
      if (!trusted) return total;
      const due = await storage.listShreddable(now, batchSize);
      const requestId = secrets.newId();
      const results = await Promise.all(
        due.map((ref) => {
          const actor = {
            tenantId: ref.tenantId,
            principalId: "",
            oauthClientId: "",
            tokenId: "",
            operation: "shred",
            requestId,
          };
          return storage.transact({ kind: "item", ...ref }, shredItem(actor, now));
        }),
      );
      const done = results.filter(({ outcome }) => outcome).length;
      total += done;
      // A short batch is the last one. If none was shredded, another job is doing the work.
      if (due.length < batchSize || done === 0) break;
    }
    return total;
  };
}
