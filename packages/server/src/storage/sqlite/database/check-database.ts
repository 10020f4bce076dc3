import type { DatabaseSync } from "node:sqlite";
import { integer, text } from "./columns.js";
import { DatabaseForeignError } from "./open-errors.js";
import { DamagedRowError } from "./sqlite-error.js";

/** "PLAT" in ASCII: marks a file as a database of this program since schema version 4. The command `file` prints it. */
const applicationId = 0x504c4154;

/**
 * Rejects databases of other programs. A database without an application id is accepted when it is empty or has the tables
 * of this program.
 *
 * @throws DatabaseForeignError
 */
export function rejectForeign(database: DatabaseSync, path: string): void {
  const id = integer(database.prepare("PRAGMA application_id").get() ?? {}, "application_id");
  if (id === applicationId) return;
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = new Set(tables.map((row) => text(row, "name")));
  const ours = names.size === 0 || ["vaults", "vault_members", "contents"].every((name) => names.has(name));
  if (id !== 0 || !ours) throw new DatabaseForeignError(path);
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
