import type { DatabaseSync } from "node:sqlite";
import { type SealedAudit, StorageError } from "../../ports/storage.js";
import { createCheckpoints } from "./database/checkpoint.js";
import { integer } from "./database/columns.js";
import { busyTimeout } from "./database/open-database.js";
import { showsDamage, storageErrorFrom } from "./database/sqlite-error.js";
import { createTruncateLog } from "./database/write-ahead-log.js";
import { applyWrite, createTables, type StoredWrite } from "./tables/index.js";
import { createVerification } from "./tables/verification.js";

/** The writes of a call. Those of one group are committed together or not at all. */
export interface CallWrites {
  readonly group: number;
  readonly writes: readonly StoredWrite[];
}

/** The sequences of a call's changes; or why nothing of its group was written. */
export type CallResult = { readonly sequences: readonly number[] } | { readonly error: unknown };

/** What makes all changes of a database, one after the other. It may be in another thread than its callers. */
export interface Writer {
  /**
   * Commits the writes of calls in one transaction, with one flush, in the order of the calls. If a write of one group fails, the others
   * are committed.
   *
   * Once the promise has resolved, what the shreds among them have erased is in no file.
   */
  commit(calls: readonly CallWrites[]): Promise<readonly CallResult[]>;
  /** Erases what an earlier commit, which failed after its transaction, may have left in the log. */
  settle(): Promise<void>;
  /** Takes the lock for writing. @param write whether to write, too: the smallest write there is. */
  check(write: boolean): Promise<void>;
  purge(expiredBefore: number, limit: number): Promise<number>;
  sealAudit(limit: number): Promise<SealedAudit>;
  verify(): Promise<void>;
  /** Closes the database. @param settle whether its files are still its own, so that the log can be emptied. */
  close(settle: boolean): Promise<void>;
}

export interface WriterOptions {
  /** Called after each checkpoint with its duration. */
  readonly madeCheckpoint: (milliseconds: number) => void;
  /** The pages of the log after which it is copied to the database file. Default: 2000. */
  readonly checkpointPages?: number | undefined;
}

/** Creates the writer of an open database with the newest schema. Its methods do their work before they return. */
export function createWriter(database: DatabaseSync, { madeCheckpoint, checkpointPages }: WriterOptions): Writer {
  database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
  const tables = createTables(database);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const truncateLog = createTruncateLog(database);
  const verification = createVerification(database);
  const checkpoints = createCheckpoints(database, {
    pages: checkpointPages,
    made: madeCheckpoint,
    failed(error) {
      checkpointError = error;
    },
  });
  /** The log still contains all commits, and the next checkpoint tries again; but nothing is written to a damaged file. */
  let checkpointError: unknown;
  /**
   * Whether shredded bytes may be left in the log: of an earlier process that was killed, or of a commit whose truncation failed. Until
   * they are truncated, nothing is acknowledged.
   */
  let truncationPending = true;

  const settle = (): void => {
    if (truncationPending) truncateLog();
    truncationPending = false;
  };

  const abandon = (): void => {
    try {
      if (database.isTransaction) rollback.run();
    } catch {
      // The transaction stays open, so the next BEGIN fails and nothing reported as failed is committed.
    }
  };

  /** Runs work in a transaction, and copies the log if it is long. */
  const inTransaction = <Result>(work: () => Result): Result => {
    try {
      begin.run();
      const result = work();
      commit.run();
      checkpoints.committed();
      return result;
    } catch (error) {
      abandon();
      tables.vaults.forget();
      throw error;
    }
  };

  /** @throws WriteFailedError when a write fails: another error if SQLite rolls back the transaction, as when the disk is full. */
  const apply = ({ group, writes }: CallWrites): readonly number[] => {
    const sequences: number[] = [];
    try {
      for (const write of writes) {
        const sequence = applyWrite(tables, write);
        if (sequence !== undefined) sequences.push(sequence);
      }
      return sequences;
    } catch (error) {
      throw database.isTransaction ? new WriteFailedError(group, error) : error;
    }
  };

  const commitCalls = (calls: readonly CallWrites[]): readonly CallResult[] => {
    if (showsDamage(checkpointError)) throw checkpointError;
    settle();
    const failed = new Map<number, unknown>();
    const attempt = () =>
      inTransaction(() =>
        calls.map((call): CallResult => {
          return failed.has(call.group) ? { error: failed.get(call.group) } : { sequences: apply(call) };
        }),
      );
    for (;;) {
      try {
        const results = attempt();
        truncationPending = calls.some(({ writes }) => writes.some(({ kind }) => kind === "shred"));
        settle();
        return results;
      } catch (error) {
        // The others are written again, without the group that failed.
        if (!(error instanceof WriteFailedError)) throw error;
        failed.set(error.group, failureOf(error.cause));
      }
    }
  };

  /** Runs work at once. Its errors are those of the caller. */
  const perform = async <Result>(work: () => Result): Promise<Result> => {
    try {
      return work();
    } catch (error) {
      throw failureOf(error);
    }
  };

  const close = (settled: boolean): void => {
    checkpoints.close();
    try {
      if (settled) truncateLog();
    } finally {
      database.close();
    }
  };

  try {
    settle();
  } catch {
    // It is tried again before anything is written.
  }

  return {
    commit: (calls) => perform(() => commitCalls(calls)),
    settle: () => perform(settle),
    check: (write) =>
      perform(() => {
        settle();
        if (write || checkpointError !== undefined) rewriteHeader(database);
        else inTransaction(() => {});
        checkpointError = undefined;
      }),
    purge: (expiredBefore, limit) =>
      perform(() => {
        const expired = tables.records.countExpired(expiredBefore, limit);
        if (expired > 0) inTransaction(() => tables.records.removeExpired(expiredBefore, limit));
        return expired;
      }),
    sealAudit: (limit) =>
      perform(() => {
        const seals = tables.auditSeals.next(limit);
        const rows = seals.reduce((sum, seal) => sum + seal.rows, 0);
        const append = () => {
          for (const seal of seals) tables.auditSeals.append(seal);
        };
        if (rows > 0) inTransaction(append);
        return { rows, head: seals.at(-1) };
      }),
    verify: () => perform(() => void verification()),
    close: (settled) => perform(() => close(settled)),
  };
}

/** Internal: a write failed, and the transaction is still open. */
class WriteFailedError extends Error {
  constructor(
    readonly group: number,
    cause: unknown,
  ) {
    super("a write failed", { cause });
  }
}

function failureOf(cause: unknown): StorageError {
  const failure = storageErrorFrom(cause);
  return failure instanceof StorageError ? failure : new StorageError("unavailable", { cause });
}

/** Performs the smallest possible write. It changes nothing, and fails if writes fail. */
function rewriteHeader(database: DatabaseSync): void {
  const version = integer(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
  database.exec(`PRAGMA user_version = ${version}`);
}
