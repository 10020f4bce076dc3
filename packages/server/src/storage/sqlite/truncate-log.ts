import type { DatabaseSync } from "node:sqlite";
import { integer } from "./columns.js";

/**
 * Moves everything from the write-ahead log into the database file and cuts the log to nothing, so that what was
 * overwritten in the one is not left in the other.
 *
 * @throws when a byte of the log may be left.
 */
export function createTruncateLog(database: DatabaseSync): () => void {
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  return () => {
    const row = checkpoint.get() ?? {};
    // -1 where there is no log, as in memory.
    if (integer(row, "busy") !== 0 || integer(row, "log") > 0) throw new Error("the write-ahead log was not truncated");
  };
}
