import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../../ports/storage.js";
import type { BatchResult } from "../figures.js";
import { type AppliedWrite, applyWrite } from "./apply-write.js";
import type { Condition } from "./condition.js";
import { storageErrorFrom } from "./database/sqlite-error.js";
import { createTruncateLog } from "./database/truncate-log.js";
import type { Tables } from "./tables/index.js";

/** A queued call. */
export interface PendingCall {
  /** Returns whether the caller still waits for the result. */
  wanted(): boolean;
  /** Loads the snapshot and decides. An error that it throws fails the call. */
  decide(): Decided;
  fail(reason: unknown): void;
}

export interface Decided {
  readonly writes: readonly AppliedWrite[];
  /** Resolves the call. Called once its writes are durable. */
  succeed(sequence: number | undefined): void;
}

/**
 * Creates a function that commits calls in groups: one transaction and one fsync for all of them. No call is resolved before
 * the commit. If a write of one call fails, the group is rolled back and decided again, with a savepoint for each call, so that
 * the failed call does not affect the others. Savepoints for every group would take a twentieth of its time.
 *
 * The function returns the result of the group.
 */
export function createGroupCommit(
  database: DatabaseSync,
  tables: Tables,
  condition: Pick<Condition, "mayAnswer" | "mayWrite" | "wroteAgain">,
): (calls: readonly PendingCall[]) => BatchResult {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const savepoint = database.prepare("SAVEPOINT call");
  const release = database.prepare("RELEASE call");
  const rollbackToSavepoint = database.prepare("ROLLBACK TO call");
  const truncateLog = createTruncateLog(database);
  /** Whether shredded bytes may be left in the log. Until they are truncated, no call is acknowledged. */
  let truncationPending = false;

  /** @throws WriteFailedError when a write fails; the writes before it stay applied. @throws TransactionLostError */
  const write = (writes: readonly AppliedWrite[]): number | undefined => {
    let sequence: number | undefined;
    try {
      for (const each of writes) sequence = applyWrite(tables, each) ?? sequence;
    } catch (error) {
      // Some errors, such as a full disk, make SQLite roll back the whole transaction. Then the whole batch fails.
      throw database.isTransaction ? new WriteFailedError(error) : new TransactionLostError(error);
    }
    return sequence;
  };

  /** Applies all of the writes or none. @throws the error for the caller when a write fails. @throws TransactionLostError */
  const writeInSavepoint = (writes: readonly AppliedWrite[]): number | undefined => {
    savepoint.run();
    try {
      return write(writes);
    } catch (error) {
      if (!(error instanceof WriteFailedError)) throw error;
      rollbackToSavepoint.run();
      throw storageErrorFrom(error.cause);
    } finally {
      if (database.isTransaction) release.run();
    }
  };

  const abandon = () => {
    try {
      if (database.isTransaction) rollback.run();
    } catch {
      // The transaction stays open, so the next BEGIN fails and nothing reported as failed is committed.
    }
  };

  const commitAll = (calls: readonly PendingCall[], applyAll: typeof write): BatchResult => {
    const undecided = new Set(calls);
    const successes: (() => void)[] = [];
    let wrote = false;
    let shreds = false;
    try {
      condition.mayAnswer();
      begin.run();
      for (const call of calls) {
        try {
          if (!call.wanted()) throw new StorageError("dropped");
          const { writes, succeed } = call.decide();
          if (writes.length > 0) condition.mayWrite();
          const sequence = writes.length === 0 ? undefined : applyAll(writes);
          wrote ||= writes.length > 0;
          shreds ||= writes.some(({ kind }) => kind === "shred");
          successes.push(() => succeed(sequence));
        } catch (error) {
          if (error instanceof TransactionLostError) throw error.cause;
          if (error instanceof WriteFailedError) throw error;
          undecided.delete(call);
          call.fail(error);
        }
      }
      // A call of this batch may have found damage. Then nothing of the batch is written.
      if (wrote) condition.mayWrite();
      commit.run();
      if (wrote) condition.wroteAgain();
      truncationPending ||= shreds;
      if (truncationPending) truncateLog();
      truncationPending = false;
    } catch (error) {
      if (error instanceof WriteFailedError) {
        abandon();
        return commitAll([...undecided], writeInSavepoint);
      }
      for (const call of undecided) call.fail(unavailable(error));
      abandon();
      return "failed";
    }
    for (const succeed of successes) succeed();
    return wrote ? "written" : "unchanged";
  };

  return (calls) => commitAll(calls, write);
}

/** Internal: a write of one call failed. */
class WriteFailedError extends Error {
  constructor(cause: unknown) {
    super("a write failed", { cause });
  }
}

/** Internal: SQLite has rolled back the whole transaction. */
class TransactionLostError extends Error {
  constructor(cause: unknown) {
    super("the transaction was rolled back", { cause });
  }
}

function unavailable(cause: unknown): unknown {
  const failure = storageErrorFrom(cause);
  return failure instanceof StorageError ? failure : new StorageError("unavailable", { cause });
}
