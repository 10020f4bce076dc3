import { existsSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { RestoreError } from "../../epoch.js";
import { rejectForeign } from "../database/check-database.js";
import { text } from "../database/columns.js";
import { readSchemaVersion } from "../database/migrate.js";
import { nodeSqlite } from "../database/node-sqlite.js";
import { DatabaseDamagedError, DatabaseForeignError } from "../database/open-errors.js";
import { failedAs, isSqliteError, showsDamage } from "../database/sqlite-error.js";
import { verifyDatabase } from "../tables/verification.js";

/** Rejects a file that cannot be a backup. Does not open it, because it may be the database itself. @throws RestoreError */
export function checkBackupFile(backup: string, path: string): void {
  const found = statSync(backup, { throwIfNoEntry: false });
  if (found === undefined)
    throw new RestoreError("no_backup", `There is no file ${backup}. Check the path of the backup.`);
  if (!found.isFile() || found.size === 0) {
    throw new RestoreError(
      "no_backup",
      `${backup} is not a backup: it is empty, or not a file. Choose another backup.`,
    );
  }
  const current = statSync(path, { throwIfNoEntry: false });
  if (current?.dev === found.dev && current.ino === found.ino) {
    throw new RestoreError("no_backup", `${backup} is the database itself. Make a backup of it, and restore that one.`);
  }
  const log = statSync(`${backup}-wal`, { throwIfNoEntry: false });
  if (existsSync(`${backup}-journal`) || (log?.size ?? 0) > 0) {
    throw new RestoreError(
      "no_backup",
      `${backup} is not a backup: there is a SQLite log next to it, so it was copied from a database in use. ` +
        "Make backups with the backup command: copying the files of a database in use loses data.",
    );
  }
}

/**
 * Rejects a copy of `backup` that is not a database of a platform, was written by another version, or is damaged. Reads the
 * whole copy.
 *
 * @throws RestoreError, DatabaseTooNewError, DatabaseTooOldError
 */
export function checkBackupContent(copy: string, backup: string): void {
  const database = new nodeSqlite.DatabaseSync(copy);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    rejectForeign(database, copy);
    if (readSchemaVersion(database, backup) === 0) throw notAPlatform(backup);
    const integrity = text(database.prepare("PRAGMA integrity_check(1)").get() ?? {}, "integrity_check");
    const references = database.prepare("PRAGMA foreign_key_check").get();
    if (integrity !== "ok" || references !== undefined) throw damaged(backup, new Error(integrity));
  } catch (error) {
    if (error instanceof DatabaseDamagedError) throw new RestoreError("damaged", error.message, { cause: error });
    if (error instanceof DatabaseForeignError || failedAs(error, "notADatabase")) throw notAPlatform(backup);
    throw isSqliteError(error) ? damaged(backup, error) : error;
  } finally {
    database.close();
  }
}

/** Rejects a backup with a damaged row, or whose state differs from its history. @throws RestoreError */
export function checkRows(database: DatabaseSync, backup: string): void {
  try {
    verifyDatabase(database);
  } catch (error) {
    throw showsDamage(error) ? damaged(backup, error) : error;
  }
}

function notAPlatform(backup: string): RestoreError {
  return new RestoreError("no_backup", `${backup} is not a backup of a platform. Choose another file.`);
}

function damaged(backup: string, cause: unknown): RestoreError {
  const message = `The backup ${backup} is damaged. Restore an older one, or another copy of this one.`;
  return new RestoreError("damaged", message, { cause });
}
