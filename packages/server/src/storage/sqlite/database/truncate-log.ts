import type { DatabaseSync } from "node:sqlite";
import { StorageError } from "../../../ports/storage.js";
import { integer } from "./columns.js";
import { flush } from "./flush.js";

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
