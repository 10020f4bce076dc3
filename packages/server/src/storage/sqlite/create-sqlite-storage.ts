import type { Storage } from "../../ports/storage.js";
import type { Backup } from "./backup/back-up-database.js";
import { createBackups } from "./backup/backups.js";
import { findDamage, wasLeftOpen } from "./find-damage.js";
import { openDatabase } from "./open-database.js";
import { DatabaseDamagedError } from "./open-errors.js";
import { isSqliteError } from "./sqlite-error.js";
import { createStorageOnDatabase, type QueueLimits } from "./storage-on-database.js";

/** Where the database is, and how much may wait for it. */
export interface SqliteStorageOptions extends QueueLimits {
  /** The database file, created when it does not exist, or ":memory:". Beside it, SQLite keeps a file `-wal`. */
  readonly path: string;
}

/** A storage on SQLite, which can be backed up while it serves. */
export interface SqliteStorage extends Storage {
  /**
   * Makes a consistent backup in a new file: one SQLite database, complete, checked and on disk. Commits go on meanwhile. A
   * call with the path of the backup that is being made, or was completed within the last minute, resolves with that backup.
   *
   * @param path absolute; must not exist.
   * @param signal ends the backup when it is aborted.
   * @throws BackupError
   */
  backUp(path: string, signal?: AbortSignal): Promise<Backup>;
}

/**
 * Keeps everything in one SQLite file, on `node:sqlite`.
 *
 * Every commit is on disk before it is answered. The file belongs to this storage alone until it is closed: no other
 * process can open it, and within this process nothing else may, because closing any other handle of the file drops the
 * lock. To copy a database that is in use, use `backUp`.
 *
 * A database that is damaged, or on a disk without room, is read and not written: `check` fails, and calls that would
 * write fail as unavailable. One whose files are deleted or replaced while it is open answers nothing any more. The
 * structure is checked at the start when the last process did not close the database, and contents whenever they are read
 * (and in turns, by `verify`).
 *
 * @example
 * ```ts
 * import { createSqliteStorage } from "@platform-rpc/server";
 *
 * const storage = createSqliteStorage({ path: ":memory:" });
 * const { head } = await storage.listChanges({ tenantId: "acme", vaultId: "personal", afterSequence: 0, limit: 10 });
 * console.log(head);
 * // 0
 * await storage.close();
 * ```
 *
 * @throws DatabaseInUseError when another process, or another storage of this one, holds the file.
 * @throws DatabaseTooNewError when the file was written by a newer version of this program.
 * @throws DatabaseForeignError when the file is a database of another program.
 * @throws DatabaseDamagedError when the file cannot be read.
 * @throws DatabaseNotUpgradedError when the file has an older schema, and the disk no room for the upgrade.
 */
export function createSqliteStorage({ path, ...limits }: SqliteStorageOptions): SqliteStorage {
  const leftOpen = wasLeftOpen(path);
  const database = openDatabase(path);
  try {
    const storage = createStorageOnDatabase(database, limits, leftOpen ? findDamage(database) : undefined);
    const backups = createBackups(database);
    return {
      ...storage,
      backUp: backups.backUp,
      async close() {
        await backups.close();
        await storage.close();
      },
    };
  } catch (error) {
    database.close();
    // The schema has the newest version, and yet a statement does not match it: its text has changed on the disk.
    throw isSqliteError(error) ? new DatabaseDamagedError(path, { cause: error }) : error;
  }
}
