import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { wasLeftOpen } from "./find-damage.js";
import { flush } from "./flush.js";
import { lockDatabase } from "./lock-database.js";
import { rejectForeign } from "./reject-foreign.js";

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
