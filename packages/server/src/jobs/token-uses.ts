import type { TokenClaims } from "../domain/model/access.js";
import { generationOfGrant, type RefreshGeneration, refreshFamilies } from "../domain/model/refresh-family.js";
import { recordTokenUse } from "../domain/record-token-use.js";
import type { Clock } from "../ports/clock.js";
import { refOf, type Storage, StorageError } from "../ports/storage.js";

/** A generation of a refresh family, one of whose access tokens was accepted. */
interface TokenUse extends RefreshGeneration {
  readonly tenantId: string;
}

/** How many uses wait to be recorded. Beyond it, the one that was noted first is forgotten. */
const mostPending = 10_000;

/** How many uses are recorded at a time: they share a commit, and leave room for the calls of callers. */
const batchSize = 500;

/**
 * Creates a collection of the tokens of refresh families that this process has accepted. The check of a token only notes them; a job
 * records them, one write for each generation of a family.
 */
export function createTokenUses({ storage, clock }: { readonly storage: Storage; readonly clock: Clock }) {
  const pending = new Map<string, TokenUse>();

  function record({ familyId, generation, tenantId }: TokenUse): Promise<unknown> {
    const ref = refOf(refreshFamilies.key(tenantId, familyId));
    return storage.transact(ref, recordTokenUse({ familyId, generation }, tenantId, clock.now()));
  }

  return {
    /** Notes that a token was accepted, if it belongs to a refresh family. Reads and writes nothing. */
    note({ grantId, tenantId }: TokenClaims): void {
      const issuedWith = generationOfGrant(grantId);
      if (issuedWith === undefined) return;
      const { familyId, generation } = issuedWith;
      // A token of an older generation cannot change anything.
      if (generation < (pending.get(familyId)?.generation ?? 0)) return;
      pending.set(familyId, { ...issuedWith, tenantId });
      const [oldest] = pending.size > mostPending ? pending.keys() : [];
      if (oldest !== undefined) pending.delete(oldest);
    },

    /**
     * Records what was noted. What fails stays noted, unless another cell serves the tenant now: the next use is noted there.
     *
     * @throws StorageError (as a rejection).
     */
    async record(): Promise<void> {
      const noted = [...pending.values()];
      let failed: unknown;
      for (let start = 0; start < noted.length; start += batchSize) {
        const batch = noted.slice(start, start + batchSize);
        const results = await Promise.allSettled(batch.map(record));
        for (const [index, use] of batch.entries()) {
          const result = results[index];
          const thrown: unknown = result?.status === "rejected" ? result.reason : undefined;
          const refused = thrown instanceof StorageError && thrown.refusesTenant ? thrown.reason : undefined;
          const ended = thrown === undefined || refused === "not_served";
          // A newer use may have been noted since.
          if (ended && pending.get(use.familyId) === use) pending.delete(use.familyId);
          if (refused === undefined) failed ??= thrown;
        }
        if (failed !== undefined) throw failed;
      }
    },
  };
}
