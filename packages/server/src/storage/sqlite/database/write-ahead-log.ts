import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../../../ports/storage.js";
import { rejectForeign } from "./check-database.js";
import { integer } from "./columns.js";
import { flush } from "./flush.js";
import { lockDatabase } from "./lock-database.js";

/**
 * Moves the log that a killed process left into the database file. Call it before the database is opened.
 *
 * If a flush of the log failed before the process was killed, a part of the log may never reach the disk: the system still
 * returns this part to readers, and reports later flushes as successful. A power cut while such a log is moved would damage
 * the database. Therefore the log is replaced by a flushed copy first.
 *
 * Does nothing if the database cannot be locked: opening it then reports why. If the copy cannot be made, or the database is one
 * of another program, closing the database still moves the log.
 *
 * @see https://wiki.postgresql.org/wiki/Fsync_Errors
 */
export function settleLog(path: string): void {
  const log = `${path}-wal`;
  const copy = `${log}-copy`;
  // A leftover of a start that was killed. It may contain content that is shredded later.
  rmSync(copy, { force: true });
  if (!wasLeftOpen(path)) return;
  let database: DatabaseSync | undefined;
  try {
    database = lockDatabase(path);
    rejectForeign(database, path);
    // Not copyFile, which can let both files share what is on the disk.
    writeFileSync(copy, readFileSync(log), { mode: 0o600, flush: true });
    renameSync(copy, log);
    flush(dirname(path));
  } catch {
    rmSync(copy, { force: true });
  } finally {
    // Moves the log into the database file, and then removes it.
    database?.close();
  }
}

/**
 * Creates a function that moves the write-ahead log into the database file and truncates it, so that content overwritten in
 * the database is not left in the log. The function flushes the truncation, because SQLite does not: a power cut could bring the
 * content back.
 *
 * The function throws when any part of the log may be left.
 */
export function createTruncateLog(database: DatabaseSync): () => void {
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  const path = database.location();
  return () => {
    const row = checkpoint.get() ?? {};
    // -1 when there is no log, as for a database in memory.
    if (integer(row, "busy") !== 0 || integer(row, "log") > 0) throw new Error("the write-ahead log was not truncated");
    if (path !== null) flushLog(`${path}-wal`);
  };
}

/** @throws StorageError "unavailable" */
function flushLog(log: string): void {
  try {
    flush(log);
  } catch (cause) {
    throw new StorageError("unavailable", { cause });
  }
}

/**
 * Returns whether the last process did not close a database: closing it removes the log. Call it before the database is
 * opened.
 */
export function wasLeftOpen(path: string): boolean {
  return existsSync(`${path}-wal`);
}
