import type { DatabaseSync } from "node:sqlite";
import { integer } from "./columns.js";

/**
 * The pages of the write-ahead log after which they are copied to the database file. Most of the time of a checkpoint is the flush of
 * the file, so that fewer pages would save little of it, and cost more for each deletion: see docs/internals/performance-history.md.
 */
export const checkpointPages = 2000;

export interface CheckpointsOptions {
  /** The pages of the log after which they are copied. Default: `checkpointPages`. */
  readonly pages?: number | undefined;
  /** Called after each checkpoint with its duration, also if it failed. */
  readonly made: (milliseconds: number) => void;
  /** Called with the error of a checkpoint. The log still contains all commits, and the next batch tries again. */
  readonly failed: (error: unknown) => void;
}

export interface Checkpoints {
  /** Makes a checkpoint between this batch and the next one, if the log is long enough. Call it after each commit. */
  committed(): void;
  /** Call it before the database is closed. */
  close(): void;
}

/**
 * Creates the checkpoints of a storage. They are made when the calls of a batch have been answered, and before the next batch begins:
 * SQLite's automatic checkpoint would delay the answers of the batch whose commit reaches the limit.
 *
 * They are made on the connection that commits. A checkpoint on another connection, while this one commits, counts pages as copied
 * that it has not flushed. If a later flush fails, they are lost: see docs/internals/performance-history.md.
 *
 * SQLite before 3.51 cannot report the size of the log without a checkpoint, so its automatic checkpoint is kept.
 */
export function createCheckpoints(
  database: DatabaseSync,
  { pages = checkpointPages, made, failed }: CheckpointsOptions,
): Checkpoints {
  if (!reportsLogSize()) {
    database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
    return { committed() {}, close() {} };
  }
  database.exec("PRAGMA wal_autocheckpoint = 0");
  const logSize = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  let scheduled: NodeJS.Immediate | undefined;

  const perform = () => {
    scheduled = undefined;
    const startedAt = performance.now();
    try {
      checkpoint.get();
    } catch (error) {
      failed(error);
    }
    made(performance.now() - startedAt);
  };

  return {
    committed() {
      try {
        if (integer(logSize.get() ?? {}, "log") >= pages) scheduled ??= setImmediate(perform);
      } catch (error) {
        // The commit has succeeded.
        failed(error);
      }
    },
    close() {
      clearImmediate(scheduled);
    },
  };
}

function reportsLogSize(): boolean {
  const { sqlite = "" } = process.versions;
  const [major = 0, minor = 0] = sqlite.split(".").map(Number);
  return major > 3 || (major === 3 && minor >= 51);
}
