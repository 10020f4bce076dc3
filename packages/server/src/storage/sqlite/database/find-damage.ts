import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { text } from "./columns.js";
import { DamagedRowError } from "./sqlite-error.js";

/**
 * Returns whether the last process did not close a database: closing it removes the log. Call it before the database is
 * opened.
 */
export function wasLeftOpen(path: string): boolean {
  return existsSync(`${path}-wal`);
}

/** Checks the structure of a whole database. Returns the problem, or undefined if the structure is intact. */
export function findDamage(database: DatabaseSync): unknown {
  try {
    const found = text(database.prepare("PRAGMA quick_check(1)").get() ?? {}, "quick_check");
    return found === "ok" ? undefined : new DamagedRowError("the structure of the database is damaged");
  } catch (error) {
    return error;
  }
}
