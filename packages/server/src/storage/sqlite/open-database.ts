import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { text } from "./columns.js";
import { migrate } from "./migrate.js";
import { DatabaseDamagedError, DatabaseInUseError } from "./open-errors.js";
import { refuseForeign } from "./refuse-foreign.js";
import { defineFunctions } from "./sql-functions.js";
import { failedAs, showsDamage } from "./sqlite-error.js";

/** The path of a database that lives in memory, as long as it is open. */
const inMemory = ":memory:";

/**
 * Opens a database for one storage alone, creates it if there is none, and brings it to the newest schema.
 *
 * @throws DatabaseInUseError, DatabaseForeignError, DatabaseDamagedError, DatabaseTooNewError, DatabaseNotUpgradedError
 */
export function openDatabase(path: string): DatabaseSync {
  createPrivate(path);
  const database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    // First of all, so that reading makes no file for shared memory beside a database of another program.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    refuseForeign(database, path);
    makePrivate(path);
    configure(database);
    defineFunctions(database);
    migrate(database, path);
    return database;
  } catch (error) {
    database.close();
    if (failedAs(error, "busy")) throw new DatabaseInUseError(path, { cause: error });
    throw showsDamage(error) ? new DatabaseDamagedError(path, { cause: error }) : error;
  }
}

/** Creates the file, for its owner alone, if there is none. One that exists is not opened: closing it would drop its lock. */
function createPrivate(path: string): void {
  if (path !== inMemory && !existsSync(path)) closeSync(openSync(path, "wx", 0o600));
}

/**
 * Makes the files for their owner alone. SQLite gives the files that it puts beside a database the mode of the database; one
 * that was left there may have another.
 */
function makePrivate(path: string): void {
  if (path === inMemory) return;
  for (const file of [path, `${path}-wal`]) if (existsSync(file)) chmodSync(file, 0o600);
}

/**
 * The settings, and the lock, which is held until the database is closed.
 *
 * - Small pages, because a deletion touches a few rows that lie far apart, and a commit writes whole pages: measured
 *   with 64 writers, 1 KiB pages give a fifth more deletions a second than 4 KiB ones (512 B give fewer again).
 * - The log is moved into the database file in one go, in the midst of a commit, for which everybody waits. At 2000
 *   pages (2 MiB) that is about 10 ms, and the 99th percentile of a deletion with it; at four times as many it is twice
 *   as long, at a quarter it comes so often that throughput falls by a sixth.
 * - Temporary storage in memory: what a savepoint would put back is content too, and belongs in no file.
 */
function configure(database: DatabaseSync): void {
  database.exec(`
    PRAGMA page_size = 1024;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA secure_delete = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = 2000;
    BEGIN EXCLUSIVE;
    COMMIT;
  `);
  // SQLite does not say so when it cannot keep a log, and a rollback journal would keep what is to be shredded.
  const mode = text(database.prepare("PRAGMA journal_mode").get() ?? {}, "journal_mode");
  if (mode !== "wal" && mode !== "memory") throw new Error(`the database has journal mode ${mode} instead of wal`);
}
