import { DatabaseSync } from "node:sqlite";
import { DatabaseInUseError } from "../open-errors.js";
import { failedAs } from "../sqlite-error.js";

/**
 * Opens a database that exists, for this process alone until it is closed, and changes nothing in it: it keeps its
 * schema. What its write-ahead log holds belongs to it.
 *
 * @throws DatabaseInUseError
 */
export function lockDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
    return database;
  } catch (error) {
    database.close();
    throw failedAs(error, "busy") ? new DatabaseInUseError(path, { cause: error }) : error;
  }
}
