import type { DatabaseSync } from "node:sqlite";
import { integer, text } from "./columns.js";
import { DatabaseForeignError } from "./open-errors.js";

/** "PLAT" in ASCII: marks a file as a database of this program, from schema version 4 on. `file` prints it. */
const applicationId = 0x504c4154;

/**
 * Leaves databases of other programs alone. Without a mark, a database is ours when it is empty or has our tables.
 *
 * @throws DatabaseForeignError
 */
export function refuseForeign(database: DatabaseSync, path: string): void {
  const id = integer(database.prepare("PRAGMA application_id").get() ?? {}, "application_id");
  if (id === applicationId) return;
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = new Set(tables.map((row) => text(row, "name")));
  const ours = names.size === 0 || ["vaults", "vault_members", "contents"].every((name) => names.has(name));
  if (id !== 0 || !ours) throw new DatabaseForeignError(path);
}
