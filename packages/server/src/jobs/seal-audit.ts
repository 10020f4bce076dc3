import type { AuditSeal } from "../domain/model/audit-seal.js";
import type { Storage } from "../ports/storage.js";

/** The newest seal of an audit trail. Keep its `trail` outside the database, and verify against it later. */
export type AuditTrailHead = Pick<AuditSeal, "position" | "trail">;

/** The rows of one round. A round takes a few milliseconds, in which calls of the storage wait. */
const roundSize = 250;

/**
 * Creates the job that seals the rows of the audit trail. It resolves with the number of sealed rows. It may run concurrently. It
 * works in rounds, and stops between two rounds once `signal` is aborted.
 */
export function createSealAudit({
  storage,
  onSealed = () => {},
}: {
  storage: Pick<Storage, "sealAudit">;
  onSealed?: ((head: AuditTrailHead) => void) | undefined;
}) {
  return async (signal?: AbortSignal): Promise<number> => {
    let total = 0;
    let newest: AuditTrailHead | undefined;
    try {
      while (signal?.aborted !== true) {
        const { rows, head } = await storage.sealAudit(roundSize);
        total += rows;
        newest = head ?? newest;
        if (rows < roundSize) break;
      }
    } finally {
      if (newest !== undefined) onSealed({ position: newest.position, trail: newest.trail });
    }
    return total;
  };
}
