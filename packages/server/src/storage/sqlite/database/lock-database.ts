import type { DatabaseSync } from "node:sqlite";
import { nodeSqlite } from "./node-sqlite.js";
import { DatabaseInUseError } from "./open-errors.js";
import { failedAs } from "./sqlite-error.js";

/**
 * Opens an existing database without migrating it, and locks it exclusively until it is closed. Commits that are only in
 * its write-ahead log are part of the database.
 *
 * @throws DatabaseInUseError
 */
export function lockDatabase(path: string): DatabaseSync {
  const database = new nodeSqlite.DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
    return database;
  } catch (error) {
    database.close();
    throw failedAs(error, "busy") ? new DatabaseInUseError(path, { cause: error }) : error;
  }
}
