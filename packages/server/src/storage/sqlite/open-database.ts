import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { text } from "./columns.js";
import { migrate } from "./migrate.js";
import { DatabaseInUse } from "./open-errors.js";
import { isSqliteError } from "./sqlite-error.js";
import { createTruncateLog } from "./truncate-log.js";

/** The path of a database that lives in memory, as long as it is open. */
const inMemory = ":memory:";

/**
 * Opens a database for one storage alone, creates it if there is none, and brings it to the newest schema.
 *
 * @throws DatabaseInUse, DatabaseTooNew
 */
export function openDatabase(path: string): DatabaseSync {
  makePrivate(path);
  const database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  try {
    configure(database);
    migrate(database, path);
    // A process that was killed between a commit and its truncation owes the truncation.
    createTruncateLog(database)();
    return database;
  } catch (error) {
    database.close();
    throw isBusy(error) ? new DatabaseInUse(path, { cause: error }) : error;
  }
}

/**
 * Makes the file for its owner alone. SQLite gives the files that it puts beside a database the mode of the database; one
 * that was left there may have another.
 */
function makePrivate(path: string): void {
  if (path === inMemory) return;
  // Never opens a file that exists: closing it again would drop the lock of a storage of this process.
  if (!existsSync(path)) closeSync(openSync(path, "wx", 0o600));
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
    PRAGMA locking_mode = EXCLUSIVE;
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

function isBusy(error: unknown): boolean {
  const busy = 5;
  return isSqliteError(error) && (error.errcode & 0xff) === busy;
}
