import { hash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { requireOptions } from "@platform-rpc/options";
import { StorageError } from "../../../ports/storage.js";
import { pathTo } from "../../option-rules.js";
import { rejectForeign } from "../database/check-database.js";
import { integer } from "../database/columns.js";
import { lockDatabase } from "../database/lock-database.js";
import { newestVersion, readSchemaVersion } from "../database/migrate.js";
import { nodeSqlite } from "../database/node-sqlite.js";
import { DatabaseDamagedError } from "../database/open-errors.js";
import { showsDamage, storageErrorFrom } from "../database/sqlite-error.js";
import { settleLog } from "../database/write-ahead-log.js";
import { verifyInParts } from "../tables/verification.js";
import { BackupError, fileExists, toBackupError } from "./backup-error.js";
import { checkCopy, copyOnline } from "./copy-online.js";

/** A completed backup on disk. */
export interface Backup {
  /** The file, which only its owner can read. */
  readonly path: string;
  readonly bytes: number;
  /** When it was completed, in milliseconds since the Unix epoch. The backup contains everything committed before the call. */
  readonly madeAt: number;
}

/**
 * Makes a backup of a database that may be in use: copies it page by page, checks the copy, flushes it to disk, and only
 * then gives it its name. Never replaces a file.
 *
 * @param check is called several times a second; an error that it throws ends the backup.
 * @throws BackupError. No file remains.
 */
export async function backUpDatabase(database: DatabaseSync, path: string, check: () => void): Promise<Backup> {
  try {
    await rejectExisting(path, database);
    const partial = `${path}.${await partialName(database)}.partial`;
    try {
      return await copyTo(path, { database, partial, check });
    } catch (error) {
      await removePartial(partial).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw toBackupError(error);
  }
}

interface Copying {
  readonly database: DatabaseSync;
  /** The file until it is complete. */
  readonly partial: string;
  readonly check: () => void;
}

async function copyTo(path: string, { database, partial, check }: Copying): Promise<Backup> {
  await removePartial(partial);
  await using target = await open(partial, "wx", 0o600);
  await requireSpace(database, dirname(path));
  await copyOnline(database, { path: partial, target, check });
  const found = await checkCopy(partial, check);
  check();
  if (found !== "ok") throw damaged("did not pass its integrity check", new Error(found));
  await verifyRows(partial, check);
  await target.sync();
  const { size, mtimeMs } = await target.stat();
  await renameExclusively(partial, path);
  return { path, bytes: size, madeAt: Math.trunc(mtimeMs) };
}

/** Compares the rows of a copy with their checksums, and the state with the history. No other connection has the copy open. */
async function verifyRows(path: string, check: () => void): Promise<void> {
  const copy = new nodeSqlite.DatabaseSync(path, { readOnly: true });
  try {
    rejectForeign(copy, "of the copy");
    const version = readSchemaVersion(copy, "of the copy");
    if (version === 0)
      throw new BackupError("failed", "The database is empty, and no restore accepts it. Check the data directory.");
    // A database of an earlier version has other tables.
    if (version === newestVersion) await verifyInParts(copy, check);
  } catch (error) {
    if (error instanceof DatabaseDamagedError) throw damaged(error.found, error);
    throw showsDamage(error) ? damaged("contains damaged rows", storageErrorFrom(error)) : error;
  } finally {
    copy.close();
  }
}

/** The cause is a StorageError, by which a storage learns that its database is damaged. */
function damaged(what: string, cause: unknown): BackupError {
  const message = `The copy ${what}: the database is damaged. Keep older backups, and restore one of them.`;
  const damage = cause instanceof StorageError ? cause : new StorageError("damaged", { cause });
  return new BackupError("failed", message, { cause: damage });
}

/** Fails if the file exists. Never opens it: if it is the database, closing it again would drop the database's lock. */
async function rejectExisting(path: string, database: DatabaseSync): Promise<void> {
  const own = database.location();
  if (own !== null && ["-wal", "-shm", "-journal"].some((suffix) => path === own + suffix)) throw fileExists();
  const found = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found !== undefined) throw fileExists();
}

async function requireSpace(database: DatabaseSync, folder: string): Promise<void> {
  const pragma = (name: string) => integer(database.prepare(`PRAGMA ${name}`).get() ?? {}, name);
  const needed = pragma("page_count") * pragma("page_size");
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  const mib = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
  throw new BackupError(
    "not_writable",
    `There is too little room: the backup needs ${mib(needed)}, and ${mib(free)} are free. Make room, or choose another folder.`,
  );
}

/**
 * Returns what names the partial files of a database. A backup of another database to the same path has another name, so that neither
 * removes the file of the other. It is the same after a restart, so that the file of a killed process is found.
 */
async function partialName(database: DatabaseSync): Promise<string> {
  const location = database.location();
  if (location === null) return randomBytes(8).toString("hex");
  const { dev, ino } = await stat(location, { bigint: true });
  return hash("sha256", `${location}\n${dev}\n${ino}`, "hex").slice(0, 16);
}

/** Removes the partial file of this database, which a killed process may have left. A database has one backup at a time. */
async function removePartial(partial: string): Promise<void> {
  await Promise.all(["", "-journal", "-wal", "-shm"].map((suffix) => rm(partial + suffix, { force: true })));
}

/** Renames the finished file unless the name is taken. Not a hard link, because some file systems do not support them. */
async function renameExclusively(partial: string, path: string): Promise<void> {
  await (await open(path, "wx", 0o600)).close();
  await rename(partial, path).catch(async (error: unknown) => {
    await rm(path);
    throw error;
  });
  await using folder = await open(dirname(path), "r");
  await folder.sync();
}

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
 * @throws TypeError (as a rejection) when one of the paths is missing.
 * @throws DatabaseInUseError when a process serves the database.
 * @throws BackupError
 */
export async function backUpSqliteDatabase(path: string, to: string): Promise<Backup> {
  const rules = { path: pathTo("the database file"), to: pathTo("the backup") };
  requireOptions("backUpSqliteDatabase", { path, to }, rules);
  if (!existsSync(path)) throw new BackupError("failed", "There is no database to back up. Check the data directory.");
  settleLog(path);
  const database = lockDatabase(path);
  try {
    return await backUpDatabase(database, to, () => undefined);
  } finally {
    database.close();
  }
}
