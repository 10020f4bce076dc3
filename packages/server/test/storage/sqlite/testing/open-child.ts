import { DatabaseSync } from "node:sqlite";
import { backUpSqliteDatabase } from "../../../../src/storage/sqlite/backup/back-up-database.js";
import { createSqliteStorage } from "../../../../src/storage/sqlite/create-sqlite-storage.js";
import { restoreSqliteBackup } from "../../../../src/storage/sqlite/restore/restore-backup.js";
import { openInThread } from "../../../../src/storage/sqlite/testing/storages.js";

/** Ways to use a database, each as another process would. */
const ways: Record<string, (path: string) => unknown> = {
  storage: (path) => createSqliteStorage({ path }),
  "storage in its own thread": (path) => openInThread({ path }),
  backup: (path) => backUpSqliteDatabase(path, `${path}.backup`),
  restore: (path) => restoreSqliteBackup({ backup: `${path}.old`, path, now: Date.now() }),
  reader: (path) => new DatabaseSync(path, { readOnly: true }).prepare("SELECT * FROM vaults").all(),
  "reader of the same kind": (path) => {
    const database = new DatabaseSync(new URL(`file://${path}?vfs=unix-excl`));
    return database.prepare("SELECT * FROM vaults").all();
  },
};

// Uses the database at a path and keeps it open until the process is killed. Prints the error if that fails.
const [path = "", way = "storage"] = process.argv.slice(2);
try {
  await ways[way]?.(path);
  console.log("open");
  setInterval(() => {}, 1000);
} catch (error) {
  console.log(error instanceof Error ? `${error.name}: ${error.message}` : error);
}
