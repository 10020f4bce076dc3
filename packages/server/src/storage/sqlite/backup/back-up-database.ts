import { randomBytes } from "node:crypto";
import { lstat, open, readdir, rename, rm, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { integer } from "../columns.js";
import { BackupError, fileExists, toBackupError } from "./backup-error.js";
import { checkCopy } from "./check-copy.js";
import { copyOnline } from "./copy-online.js";

/** A backup that is on disk. */
export interface Backup {
  /** The file, which only its owner can read. */
  readonly path: string;
  readonly bytes: number;
  /** When it was complete, in milliseconds since the epoch. It contains at least what was committed before the call. */
  readonly madeAt: number;
}

/**
 * Makes a backup of a database that may be in use: copied page by page, checked, flushed to disk, and only then given its
 * name. It never replaces a file.
 *
 * @param check called several times a second; what it throws ends the backup.
 * @throws BackupError. No file is left.
 */
export async function backUpDatabase(database: DatabaseSync, path: string, check: () => void): Promise<Backup> {
  const partial = `${path}.${randomBytes(8).toString("hex")}.partial`;
  try {
    await refuseExisting(path, database);
    await removePartials(path);
    await using target = await open(partial, "wx", 0o600);
    await refuseWithoutRoom(database, dirname(path));
    await copyOnline(database, { path: partial, target, check });
    const found = await checkCopy(partial, check);
    check();
    if (found !== "ok") {
      throw new BackupError(
        "failed",
        "The copy did not pass its integrity check: the database is damaged. Keep older backups, and restore one of them.",
        { cause: new Error(found) },
      );
    }
    await target.sync();
    const { size, mtimeMs } = await target.stat();
    await giveName(partial, path);
    return { path, bytes: size, madeAt: Math.trunc(mtimeMs) };
  } catch (error) {
    await removePartials(path).catch(() => undefined);
    throw toBackupError(error);
  }
}

/** Fails before the work is done. Never opens the file: if it is the database, closing it again would drop its lock. */
async function refuseExisting(path: string, database: DatabaseSync): Promise<void> {
  const own = database.location();
  if (own !== null && ["-wal", "-shm", "-journal"].some((suffix) => path === own + suffix)) throw fileExists();
  const found = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found !== undefined) throw fileExists();
}

async function refuseWithoutRoom(database: DatabaseSync, folder: string): Promise<void> {
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

/** Removes what backups to this path left when their process was killed. */
async function removePartials(path: string): Promise<void> {
  const folder = dirname(path);
  const leftover = /^\.[0-9a-f]{16}\.partial(?:-journal|-wal|-shm)?$/;
  const name = basename(path);
  const files = (await readdir(folder)).filter(
    (file) => file.startsWith(name) && leftover.test(file.slice(name.length)),
  );
  await Promise.all(files.map((file) => rm(join(folder, file), { force: true })));
}

/** Gives the finished file its name, unless a file has it. A hard link would do the same, but not every file system has them. */
async function giveName(partial: string, path: string): Promise<void> {
  await (await open(path, "wx", 0o600)).close();
  await rename(partial, path).catch(async (error: unknown) => {
    await rm(path);
    throw error;
  });
  await using folder = await open(dirname(path), "r");
  await folder.sync();
}
