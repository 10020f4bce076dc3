import { DatabaseSync } from "node:sqlite";
import { DatabaseInUseError } from "../open-errors.js";
import { failedAs } from "../sqlite-error.js";

/**
 * Opens an existing database with an exclusive lock until it is closed, and keeps its schema. The content of its
 * write-ahead log belongs to the database.
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
