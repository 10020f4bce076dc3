import { decideShredItem } from "../domain/shred-item.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { ClockWatch } from "./clock-watch.js";

const batchSize = 64;

/**
 * Ends the content of every tombstone whose retention is over, and resolves with their number: 0 while the clock cannot
 * be trusted, because shredding cannot be undone. A job of the process, and callable at any time: it does nothing twice.
 * It works in batches, and returns between two of them once `signal` is aborted.
 */
export function createShredItems(deps: { storage: Storage; clockWatch: ClockWatch; secrets: Secrets }) {
  const { storage, clockWatch, secrets } = deps;
  return async (signal?: AbortSignal): Promise<number> => {
    let total = 0;
    while (signal?.aborted !== true) {
      // Every batch is judged by the reading that was found to be right, not by a later one.
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
          return storage.transact({ kind: "item", ...ref }, (snapshot) => decideShredItem(snapshot, actor, now));
        }),
      );
      const done = results.filter(({ outcome }) => outcome).length;
      total += done;
      // Fewer than asked for is the end; none done means that somebody else was faster.
      if (due.length < batchSize || done === 0) break;
    }
    return total;
  };
}
