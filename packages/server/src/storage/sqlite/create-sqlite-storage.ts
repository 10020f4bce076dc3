import { type OptionRules, requireOptions } from "@platform-rpc/options";
import type { DatabaseHistory, HistoryReading } from "../../domain/model/history.js";
import type { Storage } from "../../ports/storage.js";
import type { Tracing } from "../../ports/tracing.js";
import { createStorageRecorder, type StorageFigures } from "../figures.js";
import { count, pathTo, tracing } from "../option-rules.js";
import type { Backup } from "./backup/back-up-database.js";
import { createBackups, noticeDamage } from "./backup/backups.js";
import { findDamage } from "./database/check-database.js";
import { openDatabase } from "./database/open-database.js";
import { DatabaseDamagedError } from "./database/open-errors.js";
import { isSqliteError } from "./database/sqlite-error.js";
import { settleLog, wasLeftOpen } from "./database/write-ahead-log.js";
import { createReadHistory } from "./read-history.js";
import { createStorageOnDatabase } from "./storage-on-database.js";
import { findDamageOfIndexes } from "./tables/verification.js";

/**
 * The path of the database, and how it is used.
 *
 * @example
 * ```ts
 * import { createSqliteStorage, type SqliteStorageOptions } from "@platform-rpc/server";
 *
 * const options: SqliteStorageOptions = { path: "options.sqlite" };
 * await createSqliteStorage(options).close();
 * ```
 */
export interface SqliteStorageOptions {
  /** The database file, created when it does not exist, or ":memory:". SQLite keeps a `-wal` file next to it. */
  readonly path: string;
  /** The largest number of calls in one commit. Default: 256. */
  readonly batchLimit?: number;
  /** Traces the batches of calls that are committed together: see `openTelemetry`. Default: they are not traced. */
  readonly tracing?: Tracing | undefined;
}

export const sqliteRules: OptionRules<SqliteStorageOptions> = {
  path: pathTo('the database file, or ":memory:"'),
  tracing,
  batchLimit: count,
};

/**
 * A storage on SQLite that can be backed up while it is in use.
 *
 * @example
 * ```ts
 * import { createSqliteStorage, type SqliteStorage } from "@platform-rpc/server";
 *
 * const storage: SqliteStorage = createSqliteStorage({ path: "backed-up.sqlite" });
 * await storage.check();
 * await storage.close();
 * ```
 */
export interface SqliteStorage extends Storage {
  /**
   * Makes a consistent backup in a new file: one complete SQLite database, checked and flushed to disk. Commits continue
   * meanwhile. A call with the path of the current backup, or of one completed within the last minute, resolves with that
   * backup.
   *
   * @param path absolute; must not exist.
   * @param signal when it is aborted, this call fails. The backup stops when no other call waits for it.
   * @throws BackupError
   */
  backUp(path: string, signal?: AbortSignal): Promise<Backup>;
  /** Reads the history of the database, and what it has stored at the places that were known before. */
  readHistory(known: DatabaseHistory | undefined): Promise<HistoryReading>;
  /** Returns what the storage has done since it was opened, for metrics. */
  figures(): StorageFigures;
}

/**
 * Creates a storage in one SQLite file, on `node:sqlite`.
 *
 * Every commit is on disk before its call resolves. The storage locks the file until it is closed: no other process can
 * open it, and no other code in this process may, because closing any other handle of the file drops the lock. To copy a
 * database that is in use, use `backUp`.
 *
 * A damaged database, or one on a full disk, is read-only: `check` fails, and calls that would write fail as unavailable.
 * When its files are deleted or replaced while it is open, all calls fail from then on. The structure is checked at the
 * start if the last process did not close the database. Contents are checked whenever they are read, and by `verify`.
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
 * @throws TypeError that names each invalid option and what is expected.
 * @throws DatabaseInUseError when another process, or another storage in this process, uses the file.
 * @throws DatabaseTooNewError when the file was written by a newer version of this program.
 * @throws DatabaseTooOldError when the file was written by a development version of this program.
 * @throws DatabaseForeignError when the file is a database of another program.
 * @throws DatabaseDamagedError when the file cannot be read.
 * @throws DatabaseNotCreatedError when a new database cannot be created because the disk is full.
 * @throws DatabaseNotUpgradedError when the file has an older schema, and the disk has no space for the upgrade.
 */
export function createSqliteStorage(options: SqliteStorageOptions): SqliteStorage {
  requireOptions("createSqliteStorage", options, sqliteRules);
  const { path, ...limits } = options;
  const { database, damage } = openToWrite(path);
  try {
    const recorder = createStorageRecorder();
    const { failed, ...storage } = createStorageOnDatabase(database, { ...limits, recorder }, damage);
    const backups = createBackups(database);
    const readHistory = createReadHistory(database);
    return {
      ...storage,
      backUp: (to, signal) => noticeDamage(backups.backUp(to, signal), failed),
      readHistory: async (known) => readHistory(known),
      figures: recorder.read,
      async close() {
        await backups.close();
        await storage.close();
      },
    };
  } catch (error) {
    database.close();
    throw damageOf(error, path);
  }
}

/** How long the indexes are verified before a database is used that was not closed, in milliseconds. `verify` continues later. */
const indexesMs = 5_000;

/** Opens a database for its writer, after the log of a killed process was settled. Returns known damage, too. */
export function openToWrite(path: string, options?: { readonly shared: boolean }) {
  const leftOpen = wasLeftOpen(path);
  settleLog(path);
  const database = openDatabase(path, undefined, options);
  return {
    database,
    damage: leftOpen ? (findDamage(database) ?? findDamageOfIndexes(database, indexesMs)) : undefined,
  };
}

/** Converts an error of preparing statements: the schema has the newest version, so its text has changed on disk. */
export function damageOf(error: unknown, path: string): unknown {
  return isSqliteError(error) ? new DatabaseDamagedError(path, { cause: error }) : error;
}
