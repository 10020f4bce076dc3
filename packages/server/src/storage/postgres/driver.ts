import type { PendingCall } from "../engine/batches.js";
import type { DecidedBatch, DecidedCall } from "../engine/decide-batch.js";
import { decideBatch } from "../engine/decide-batch.js";
import type { Driver } from "../engine/run-batch.js";
import { NotLoadedError } from "../engine/working-set.js";
import { type CommitPayload, createCommitPayload } from "./commit-payload.js";
import type { ContentCipher } from "./content-cipher.js";
import { StatementError } from "./database/database.js";
import { blamesOne, isDiskFull, isUniqueViolation, storageErrorFrom } from "./database/postgres-error.js";
import { createKeyCollector, type KeyCollector } from "./load-keys.js";
import { addLoadedRows, type LoadedRows } from "./loaded-rows.js";

/** The result of `platform_commit`. */
export interface CommittedBatch {
  readonly stale: readonly number[];
  readonly sequences: readonly (readonly [change: number, sequence: number])[] | null;
}

export interface PostgresDriverOptions extends Pick<Driver, "acknowledged" | "answerNow"> {
  readonly load: (keys: KeyCollector) => Promise<LoadedRows>;
  /** @throws StatementError */
  readonly commit: (batch: CommitPayload) => Promise<CommittedBatch>;
  readonly cipher: ContentCipher;
}

/** Creates the driver of PostgreSQL: one statement loads what a batch needs, and one compares and commits. */
export function createPostgresDriver({ load, commit, cipher, ...options }: PostgresDriverOptions): Driver {
  return {
    ...options,

    /** Loads and decides until every row that the decisions need was loaded, all of them in one statement. */
    async decide(calls: readonly PendingCall[]): Promise<DecidedBatch> {
      const keys = createKeyCollector();
      for (const { ref } of calls) keys.addRef(ref);
      for (;;) {
        const loaded = await load(keys);
        try {
          return decideBatch(calls, { loadAll: (set) => addLoadedRows(set, loaded, cipher), seal: cipher.seal });
        } catch (error) {
          if (!(error instanceof NotLoadedError)) throw error;
          const before = keys.size();
          for (const row of error.missing) keys.addMissing(row);
          // The database has left out what it was asked for: it would do so again.
          if (keys.size() === before) throw error;
        }
      }
    },

    async commit({ set, calls }) {
      const payload = createCommitPayload(set, calls);
      const { stale, sequences } = await commit(payload);
      const assigned = new Map<DecidedCall, number[]>();
      for (const [change, sequence] of (sequences ?? []).toSorted(([one], [other]) => one - other)) {
        const decided = payload.changes[change];
        if (decided !== undefined) assigned.set(decided, [...(assigned.get(decided) ?? []), sequence]);
      }
      return { stale, sequences: assigned };
    },

    afterError(error) {
      if (!(error instanceof StatementError)) {
        return blamesOne(error) ? "alone" : "failed";
      }
      const { failure, cause } = error;
      if (failure !== "rejected" || isDiskFull(cause)) return "failed";
      return isUniqueViolation(cause) ? "again" : "alone";
    },

    toError: (error) => storageErrorFrom(error instanceof StatementError ? error.cause : error),
  };
}
