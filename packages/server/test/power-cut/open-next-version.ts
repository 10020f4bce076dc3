import type { Storage } from "../../src/ports/storage.js";
import { migrations } from "../../src/storage/sqlite/database/migrate.js";
import { openDatabase } from "../../src/storage/sqlite/database/open-database.js";
import { settleLog } from "../../src/storage/sqlite/database/write-ahead-log.js";
import { createStorageOnDatabase } from "../../src/storage/sqlite/storage-on-database.js";

/** Writes every item again. */
const migration = "ALTER TABLE items ADD COLUMN note TEXT; UPDATE items SET note = hex(zeroblob(100))";

/** Opens a database as the next version of this program would: with one more migration. */
export function openNextVersion(path: string): Storage {
  settleLog(path);
  return createStorageOnDatabase(openDatabase(path, [...migrations, migration]));
}
