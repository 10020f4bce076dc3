import type { DatabaseSync } from "node:sqlite";
import type { Write } from "../../domain/decision.js";
import { StorageError } from "../../ports/storage.js";
import { applyWrite } from "./apply-write.js";
import type { Condition } from "./condition.js";
import { storageErrorFrom } from "./sqlite-error.js";
import type { Tables } from "./tables/index.js";
import { createTruncateLog } from "./truncate-log.js";

/** A call that waits for its turn. */
export interface PendingCall {
  /** Whether anybody still waits for the answer. */
  wanted(): boolean;
  /** Loads and decides. What it throws is the call's failure. */
  decide(): Decided;
  fail(reason: unknown): void;
}

export interface Decided {
  readonly writes: readonly Write[];
  /** Tells the caller, once everything is durable. */
  succeed(sequence: number | undefined): void;
}

/**
 * Commits calls in groups: one transaction and one fsync for all of them, and a savepoint for each, so that a call that
 * fails takes nothing of its neighbours with it. Nobody is answered before the commit.
 */
export function createGroupCommit(
  database: DatabaseSync,
  tables: Tables,
  condition: Pick<Condition, "mayAnswer" | "mayWrite" | "wroteAgain">,
): (calls: readonly PendingCall[]) => void {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const rollback = database.prepare("ROLLBACK");
  const savepoint = database.prepare("SAVEPOINT call");
  const release = database.prepare("RELEASE call");
  const rollbackToSavepoint = database.prepare("ROLLBACK TO call");
  const truncateLog = createTruncateLog(database);
  /** Bytes that were promised gone may be left in the log. Until they are not, nobody is told of a success. */
  let truncationOwed = false;

  const write = (writes: readonly Write[]): number | undefined => {
    let sequence: number | undefined;
    condition.mayWrite();
    savepoint.run();
    try {
      for (const each of writes) sequence = applyWrite(tables, each) ?? sequence;
    } catch (error) {
      // Some failures (a full disk) make SQLite roll the whole transaction back: then the batch is lost.
      if (!database.isTransaction) throw new TransactionLost(error);
      rollbackToSavepoint.run();
      release.run();
      throw storageErrorFrom(error);
    }
    release.run();
    return sequence;
  };

  const abandon = () => {
    try {
      if (database.isTransaction) rollback.run();
    } catch {
      // The transaction stays open, so that the next BEGIN fails: nothing is committed that was reported as failed.
    }
  };

  return (calls) => {
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
          const sequence = writes.length === 0 ? undefined : write(writes);
          wrote ||= writes.length > 0;
          shreds ||= writes.some(({ kind }) => kind === "shred");
          successes.push(() => succeed(sequence));
        } catch (error) {
          if (error instanceof TransactionLost) throw error.cause;
          undecided.delete(call);
          call.fail(error);
        }
      }
      // A call of this batch may have met damage: then nothing of the batch is written.
      if (wrote) condition.mayWrite();
      commit.run();
      if (wrote) condition.wroteAgain();
      truncationOwed ||= shreds;
      if (truncationOwed) truncateLog();
      truncationOwed = false;
    } catch (error) {
      for (const call of undecided) call.fail(unavailable(error));
      abandon();
      return;
    }
    for (const succeed of successes) succeed();
  };
}

/** Not known outside: SQLite has rolled back more than one call. */
class TransactionLost extends Error {
  constructor(cause: unknown) {
    super("the transaction was rolled back", { cause });
  }
}

function unavailable(cause: unknown): unknown {
  const failure = storageErrorFrom(cause);
  return failure instanceof StorageError ? failure : new StorageError("unavailable", { cause });
}
