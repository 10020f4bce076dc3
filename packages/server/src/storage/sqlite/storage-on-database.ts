import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { unchanged } from "../../domain/decision.js";
import { defineRule } from "../../domain/rule.js";
import { refOf, type Storage, StorageError } from "../../ports/storage.js";
import type { Tracing } from "../../ports/tracing.js";
import { createFiguresMemory, createStorageRecorder } from "../figures.js";
import { createRoom } from "../room.js";
import type { AppliedWrite } from "./apply-write.js";
import { createCondition } from "./condition.js";
import { createCheckpoints } from "./database/checkpoint.js";
import { integer } from "./database/columns.js";
import { createFileWatch } from "./database/file-watch.js";
import { createTruncateLog } from "./database/truncate-log.js";
import { evenOut, isRejection } from "./even-rejection.js";
import { createFlushQueue } from "./flush-queue.js";
import { createGroupCommit, type PendingCall } from "./group-commit.js";
import { loadSnapshot } from "./load-snapshot.js";
import { createListChanges, createTurns } from "./long-reads.js";
import { createTables } from "./tables/index.js";
import { createVerification } from "./verification.js";

export interface QueueLimits {
  /** The largest number of queued calls. Further calls fail with "unavailable". Default: 10 000. */
  readonly queueLimit?: number;
  /** The largest number of calls in one commit. Default: 256. */
  readonly batchLimit?: number;
}

const writeNothing = defineRule("writeNothing", () => unchanged(undefined));

export interface DatabaseStorageOptions extends QueueLimits {
  readonly tracing?: Tracing | undefined;
  /** From `createFiguresMemory`. The storage records its figures there. */
  readonly figures?: SharedArrayBuffer | undefined;
  /** The pages of the log after which it is copied to the database file. Default: 2000. */
  readonly checkpointPages?: number | undefined;
  /** Returns the free bytes of the disk of a file. Default: asks the file system. */
  readonly freeBytes?: (path: string) => number;
}

/**
 * Creates the storage on an open database with the newest schema. Closing the storage closes the database.
 *
 * @param damage the error that shows known damage of the database; undefined if none is known.
 */
export function createStorageOnDatabase(
  database: DatabaseSync,
  options: DatabaseStorageOptions = {},
  damage?: unknown,
): Storage {
  const { queueLimit = 10_000, batchLimit = 256, tracing, figures = createFiguresMemory() } = options;
  const { freeBytes = freeBytesOf } = options;
  const tables = createTables(database);
  const path = database.location();
  const truncateLog = createTruncateLog(database);
  const watchFiles = path === null ? () => {} : createFileWatch(path);
  const room = createRoom({ batchLimit, freeBytes: path === null ? undefined : () => freeBytes(path) });
  const condition = createCondition({ watchFiles, truncateLog, onFull: room.refused, damage });
  const verification = createVerification(database);
  const nextTurn = createTurns();
  const recorder = createStorageRecorder(figures);
  const commit = createGroupCommit(database, tables, condition);
  const checkpoints = createCheckpoints(database, {
    pages: options.checkpointPages,
    made: recorder.checkpoint,
    failed: condition.failed,
  });
  const flush = (calls: readonly PendingCall[]) => {
    const startedAt = performance.now();
    recorder.queued(queue.length);
    const result = commit(calls);
    recorder.batch(calls.length, result, performance.now() - startedAt);
    if (result === "written") checkpoints.committed();
  };
  const queue = createFlushQueue<PendingCall>({ queueLimit, batchLimit, flush, tracing });
  let closing: Promise<void> | undefined;

  /** Reads outside of any transaction. The read is synchronous, so it is one consistent view. */
  const read = async <T>(query: () => T): Promise<T> => {
    if (closing !== undefined) throw new StorageError("unavailable");
    condition.mayAnswer();
    return available(query);
  };

  const available = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw condition.failed(error);
    }
  };

  const close = async (): Promise<void> => {
    await queue.drained();
    checkpoints.close();
    try {
      condition.mayAnswer();
      available(truncateLog);
    } finally {
      database.close();
    }
  };

  const transact: Storage["transact"] = (ref, rule, { wanted = () => true } = {}) =>
    new Promise((resolve, reject) => {
      const queued =
        closing === undefined &&
        queue.push({
          wanted,
          decide() {
            const startedAt = performance.now();
            const snapshot = available(() => loadSnapshot(tables, ref));
            // A content loaded here may be damaged.
            const decision = available(() => rule.decide(snapshot));
            if (isRejection(ref, decision)) evenOut(startedAt);
            const { outcome, writes } = decision;
            return { writes, succeed: (sequence) => resolve({ outcome, sequence }) };
          },
          fail(reason) {
            reject(condition.failed(reason));
          },
        });
      if (queued) recorder.queued(queue.length);
      else reject(new StorageError("unavailable"));
    });

  /** Runs a job of the storage in a batch of the queue, so that it is committed like a decision. */
  const inBatch = <T>(decide: () => { readonly writes: readonly AppliedWrite[]; readonly result: T }): Promise<T> =>
    new Promise((resolve, reject) => {
      const queued =
        closing === undefined &&
        queue.push({
          wanted: () => true,
          decide() {
            const { writes, result } = available(decide);
            return { writes, succeed: () => resolve(result) };
          },
          fail: (reason) => reject(condition.failed(reason)),
        });
      if (!queued) reject(new StorageError("unavailable"));
    });

  const purge: Storage["purge"] = (expiredBefore, limit) =>
    inBatch(() => {
      const result = tables.records.countExpired(expiredBefore, limit);
      return { writes: result === 0 ? [] : [{ kind: "removal", expiredBefore, limit }], result };
    });

  const sealAudit: Storage["sealAudit"] = (limit) =>
    inBatch(() => {
      const seals = tables.auditSeals.next(limit);
      const rows = seals.reduce((sum, seal) => sum + seal.rows, 0);
      return { writes: rows === 0 ? [] : [{ kind: "sealing", seals }], result: { rows, head: seals.at(-1) } };
    });

  return {
    transact,
    purge,
    sealAudit,
    readBacklog: () => read(tables.backlog),
    readAudit: (position, limit) => read(() => tables.auditSeals.read(position, limit)),
    listAudit: (query) => read(() => tables.auditTrail.list(query)),

    readRecords: (keys) => read(() => keys.map(tables.records.find)),

    listChanges: createListChanges(tables, read, nextTurn),

    listVaults: (query) => read(() => tables.vaults.ofMember(query)),

    listShreddable: (now, limit) => read(() => tables.items.due(now, limit)),

    listRecords: (query) => read(() => tables.records.list(query)),

    // Takes the path of every change: the queue and the database's write lock.
    check: async () => {
      await transact(refOf(), writeNothing());
      await read(condition.inspect);
      if (condition.suspect) await read(() => rewriteHeader(database));
      condition.wroteAgain();
      room.require();
    },

    verify: () => read(verification),

    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}

/** Performs the smallest possible write. It changes nothing, and fails if writes fail. */
function rewriteHeader(database: DatabaseSync): void {
  const version = integer(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
  database.exec(`PRAGMA user_version = ${version}`);
}
