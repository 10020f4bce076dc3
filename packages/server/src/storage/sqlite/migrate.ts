import type { DatabaseSync } from "node:sqlite";
import { integer } from "./columns.js";
import { migrations } from "./migrations/index.js";
import { DatabaseNotUpgradedError, DatabaseTooNewError } from "./open-errors.js";
import { failedAs } from "./sqlite-error.js";

/**
 * Migrates a database to the newest schema. Each step and its version are committed in a separate transaction, so that a
 * process that is killed in between continues from there. A new database is created in one transaction: if that fails, it
 * stays empty. Afterwards, foreign keys are enforced.
 *
 * @see https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes
 * @throws DatabaseTooNewError, DatabaseNotUpgradedError
 */
export function migrate(database: DatabaseSync, path: string, steps: readonly string[] = migrations): void {
  const version = schemaVersion(database);
  if (version > steps.length) throw new DatabaseTooNewError(path, version, steps.length);
  if (version === steps.length) return;
  // Dropping a table that others refer to would fail, even if a copy with the same rows replaces it.
  database.exec("PRAGMA foreign_keys = OFF");
  const transactions = version === 0 ? [steps] : steps.slice(version).map((step) => [step]);
  let migrated = version;
  for (const transaction of transactions) {
    database.exec("BEGIN IMMEDIATE");
    try {
      for (const sql of transaction) database.exec(sql);
      migrated += transaction.length;
      database.exec(`PRAGMA user_version = ${migrated}`);
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw version > 0 && failedAs(error, "full") ? new DatabaseNotUpgradedError(path, { cause: error }) : error;
    }
  }
  database.exec("PRAGMA foreign_keys = ON");
}

function schemaVersion(database: DatabaseSync): number {
  return integer(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
}
