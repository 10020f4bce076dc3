import { decideShredItem } from "../domain/shred-item.js";
import type { Clock } from "../ports/clock.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";

const batchSize = 64;

/**
 * Ends the content of every tombstone whose retention is over, and resolves with their number. A job of the process,
 * and callable at any time: it does nothing twice.
 */
export function createShredItems({ storage, clock, secrets }: { storage: Storage; clock: Clock; secrets: Secrets }) {
  return async (): Promise<number> => {
    let total = 0;
    for (;;) {
      const due = await storage.listShreddable(clock.now(), batchSize);
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
          return storage.transact({ kind: "item", ...ref, principalId: "" }, (snapshot) =>
            decideShredItem(snapshot, actor, clock.now()),
          );
        }),
      );
      const done = results.filter(({ outcome }) => outcome).length;
      total += done;
      // Fewer than asked for is the end; none done means that somebody else was faster.
      if (due.length < batchSize || done === 0) return total;
    }
  };
}
