import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { rejectForeign } from "./check-database.js";
import { checkpointPages } from "./checkpoint.js";
import { text } from "./columns.js";
import { migrate, migrations } from "./migrate.js";
import { nodeSqlite } from "./node-sqlite.js";
import { DatabaseDamagedError, DatabaseInUseError, DatabaseNotCreatedError } from "./open-errors.js";
import { failedAs, showsDamage } from "./sqlite-error.js";

/** The size of a page of a new database. An existing one keeps its size. */
export const pageBytes = 2048;

/**
 * How long one connection of this process waits for another, in milliseconds: the truncation of the log for a read, which takes less than
 * one, and a read for the end of a truncation.
 */
export const busyTimeout = 5000;

/** The path of a database in memory, which exists until it is closed. */
export const inMemory = ":memory:";

/**
 * Opens a database, locks it for all other connections, creates it if it does not exist, and migrates it to the newest schema.
 *
 * @param shared locks it for all other processes only: `openReader` can open it in this one.
 * @throws DatabaseInUseError, DatabaseForeignError, DatabaseDamagedError, DatabaseTooNewError, DatabaseTooOldError,
 *   DatabaseNotCreatedError, DatabaseNotUpgradedError
 */
export function openDatabase(path: string, steps = migrations, { shared = false } = {}): DatabaseSync {
  createPrivate(path);
  const location = shared ? locationOf(path) : path;
  const database = new nodeSqlite.DatabaseSync(location, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    // Comes first, so that reading creates no shared-memory file next to a database of another program.
    if (!shared) database.exec("PRAGMA locking_mode = EXCLUSIVE");
    rejectForeign(database, path);
    makePrivate(path);
    configure(database);
    migrate(database, path, steps);
    return database;
  } catch (error) {
    database.close();
    if (failedAs(error, "busy")) throw new DatabaseInUseError(path, { cause: error });
    // The database is new: opening an existing one writes nothing, and a failed upgrade throws DatabaseNotUpgradedError.
    if (failedAs(error, "full")) throw new DatabaseNotCreatedError(path, { cause: error });
    throw showsDamage(error) ? new DatabaseDamagedError(path, { cause: error }) : error;
  }
}

/**
 * Opens the database that this process has opened as shared, to read it while another connection writes. What a commit has written can be
 * read once it is on disk, and not before.
 */
export function openReader(path: string): DatabaseSync {
  const database = new nodeSqlite.DatabaseSync(locationOf(path), { readOnly: true, timeout: busyTimeout });
  // Contents that are sorted must not be in a file.
  database.exec("PRAGMA temp_store = MEMORY");
  return database;
}

/**
 * Returns where SQLite opens a file. With the VFS `unix-excl`, the first connection locks it for all other processes, and those of this
 * process share the index of the log in memory: there is no shared-memory file, also next to a database of another program.
 *
 * @see https://www.sqlite.org/vfs.html
 */
function locationOf(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("vfs", "unix-excl");
  return url;
}

/** Creates the file with mode 600 if it does not exist. Never opens an existing one: closing it would drop its lock. */
function createPrivate(path: string): void {
  if (path !== inMemory && !existsSync(path)) closeSync(openSync(path, "wx", 0o600));
}

/**
 * Sets mode 600 on the database and its log. SQLite creates its files with the mode of the database, but a leftover log may
 * have another one.
 */
function makePrivate(path: string): void {
  if (path === inMemory) return;
  for (const file of [path, `${path}-wal`]) if (existsSync(file)) chmodSync(file, 0o600);
}

/**
 * Applies the settings, and takes the lock. The lock is kept until the last connection of this process is closed.
 *
 * - Small pages, because a deletion reads and changes a few rows in distant pages, and a commit writes whole pages. Each content
 *   is stored in separate pages: see `shreddable-text.ts`. Pages of 1 KiB need more reads, and pages of 4 KiB almost twice the file.
 * - Automatic checkpoints, until a storage makes its own: see `checkpoint.ts`.
 * - The default cache (2 MB): with 32 MB, a deletion among 10⁶ items reads 5 pages from the file instead of 9, but needs as much CPU
 *   time, because the file is in the system's cache.
 * - Temporary storage in memory: the rollback data of a savepoint is content too, and must not be in a file.
 */
function configure(database: DatabaseSync): void {
  database.exec(`
    PRAGMA page_size = ${pageBytes};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = ${checkpointPages};
    BEGIN EXCLUSIVE;
    COMMIT;
  `);
  // SQLite does not report when it cannot use WAL mode, and a rollback journal would keep shredded content.
  const mode = text(database.prepare("PRAGMA journal_mode").get() ?? {}, "journal_mode");
  if (mode !== "wal" && mode !== "memory") throw new Error(`the database has journal mode ${mode} instead of wal`);
}
