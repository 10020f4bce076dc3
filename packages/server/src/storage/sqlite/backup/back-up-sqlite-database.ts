import { existsSync } from "node:fs";
import { lockDatabase } from "../database/lock-database.js";
import { settleLog } from "../database/settle-log.js";
import { type Backup, backUpDatabase } from "./back-up-database.js";
import { BackupError } from "./backup-error.js";

/**
 * Makes a backup of a database that no process serves. To back up one that is served, use the storage's `backUp`.
 *
 * @example
 * ```ts
 * import { resolve } from "node:path";
 * import { backUpSqliteDatabase, createSqliteStorage } from "@platform-rpc/server";
 *
 * await createSqliteStorage({ path: "stopped.sqlite" }).close();
 * const { bytes } = await backUpSqliteDatabase("stopped.sqlite", resolve("tuesday.backup"));
 * console.log(bytes > 0);
 * // true
 * ```
 *
 * @param path the database file.
 * @param to the backup: absolute; must not exist.
 * @throws DatabaseInUseError when a process serves the database.
 * @throws BackupError
 */
export async function backUpSqliteDatabase(path: string, to: string): Promise<Backup> {
  if (!existsSync(path)) throw new BackupError("failed", "There is no database to back up. Check the data directory.");
  settleLog(path);
  const database = lockDatabase(path);
  try {
    return await backUpDatabase(database, to, () => undefined);
  } finally {
    database.close();
  }
}
