import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { text } from "./columns.js";
import { DamagedRowError } from "./sqlite-error.js";

/**
 * Whether the process that had a database last did not close it: SQLite removes the log when it does. To be asked before
 * the database is opened.
 */
export function wasLeftOpen(path: string): boolean {
  return existsSync(`${path}-wal`);
}

/** Checks the structure of a whole database. Returns what is wrong; undefined when nothing is. */
export function findDamage(database: DatabaseSync): unknown {
  try {
    const found = text(database.prepare("PRAGMA quick_check(1)").get() ?? {}, "quick_check");
    return found === "ok" ? undefined : new DamagedRowError("the structure of the database is damaged");
  } catch (error) {
    return error;
  }
}
