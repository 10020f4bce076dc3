import type { DatabaseSync } from "node:sqlite";
import { integer } from "./columns.js";
import { padding } from "./migrations/0103-padding.js";
import { earlierContents } from "./migrations/0104-earlier-contents.js";
import {
  DatabaseDamagedError,
  DatabaseNotUpgradedError,
  DatabaseTooNewError,
  DatabaseTooOldError,
} from "./open-errors.js";
import { schema } from "./schema.js";
import { failedAs } from "./sqlite-error.js";

/** The version of `schema`. Lower ones are those of development versions, before the first release. */
export const schemaVersion = 102;

/**
 * Changes of the schema since its first release, oldest first: the one at index n leads to the version `schemaVersion` + n + 1. They
 * are forward only. Each is a file in `migrations/`: `pnpm contract` rejects a change of a released one, and of `schema.ts`.
 */
export const migrations: readonly string[] = [padding, earlierContents];

/** The newest schema version that this program supports. */
export const newestVersion = schemaVersion + migrations.length;

/**
 * Returns the schema version of a database: 0 if it is empty.
 *
 * @throws DatabaseTooNewError, DatabaseTooOldError, DatabaseDamagedError
 */
export function readSchemaVersion(database: DatabaseSync, path: string, newest = newestVersion): number {
  const version = integer(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
  if (version > newest) throw new DatabaseTooNewError(path, version, newest);
  if (version !== 0 && version < schemaVersion) throw new DatabaseTooOldError(path, version);
  if (version === 0 && database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined) {
    const found = "has the tables of a platform, but the schema version 0 (PRAGMA user_version)";
    throw new DatabaseDamagedError(path, undefined, found);
  }
  return version;
}

/**
 * Migrates a database to the newest schema. Each step and its version are committed in a separate transaction, so that a
 * process that is killed in between continues from there. A new database is created in one transaction: if that fails, it
 * stays empty. Afterwards, foreign keys are enforced.
 *
 * @see https://www.sqlite.org/lang_altertable.html#making_other_kinds_of_table_schema_changes
 * @throws DatabaseTooNewError, DatabaseTooOldError, DatabaseNotUpgradedError
 */
export function migrate(database: DatabaseSync, path: string, steps = migrations): void {
  const newest = schemaVersion + steps.length;
  const version = readSchemaVersion(database, path, newest);
  if (version === newest) return;
  // Dropping a table that others refer to would fail, even if a copy with the same rows replaces it.
  database.exec("PRAGMA foreign_keys = OFF");
  try {
    if (version === 0) commitStep(database, [schema, ...steps].join("\n;"), newest);
    else
      for (const [index, step] of steps.slice(version - schemaVersion).entries())
        commitStep(database, step, version + index + 1);
  } catch (error) {
    throw version > 0 && failedAs(error, "full") ? new DatabaseNotUpgradedError(path, { cause: error }) : error;
  }
  database.exec("PRAGMA foreign_keys = ON");
}

function commitStep(database: DatabaseSync, sql: string, version: number): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(`${sql}\n; PRAGMA user_version = ${version}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
