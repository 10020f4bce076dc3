import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isText, must, requireOptions } from "@platform-rpc/options";
import { type KeyFile, KeyFileError, type KeyStore, parseKeyFile } from "./key-file.js";
import { missingFolderProblem, privateFileProblem, privateFolderProblem } from "./private-path.js";
import { createPrivateFile, ifAbsent, removeTemporaries, replacePrivateFile, temporariesOf } from "./replace-file.js";

/**
 * Creates a store that keeps the key file on disk. Requires POSIX: file modes, hard links and an atomic rename.
 *
 * Processes can share the file, also on different machines with a shared file system.
 *
 * Rejects a file that another user owns or may use, and a file in a folder where another user may replace it. The error message
 * contains the command to run. The folder must exist. The first `load` removes the temporary files of processes that were killed
 * during a save. It waits for a save that is running, and up to 10 s to be sure that there is none.
 *
 * @example
 * ```ts
 * import { createFileKeyStore } from "@platform-rpc/server";
 *
 * const keys = createFileKeyStore("keys.json");
 * console.log(await keys.load()); // before the first start
 * // undefined
 * ```
 *
 * @throws TypeError when there is no path.
 */
export function createFileKeyStore(path: string): KeyStore {
  requireOptions("createFileKeyStore", { path }, { path: must("be the key file, as a string", isText) });
  const file = resolve(path);
  let cleaned = false;

  async function read(): Promise<KeyFile | undefined> {
    const text = await readOwnFile(file);
    return text === undefined ? undefined : parseKeyFile(text);
  }

  return {
    async load() {
      try {
        await requirePrivateFolder(dirname(file));
        if (!cleaned) await removeLeftovers(file);
        cleaned = true;
        return await read();
      } catch (error) {
        throw toKeyFileError(path, "read", error);
      }
    },

    async save(keys, replaced) {
      const text = `${JSON.stringify(keys, undefined, 2)}\n`;
      try {
        await requirePrivateFolder(dirname(file));
        // Also to create the file: a temporary file that is found under the lock is in use by nobody.
        return await withFileLock(file, async () => {
          if (replaced === undefined) return createPrivateFile(file, text);
          if (!isDeepStrictEqual(await read(), replaced)) return false;
          await replacePrivateFile(file, text);
          return true;
        });
      } catch (error) {
        throw toKeyFileError(path, "written", error);
      }
    },
  };
}

/** Removes the temporary files of killed processes. Takes the lock only if there are any, because the folder may be read-only. */
async function removeLeftovers(file: string): Promise<void> {
  if ((await temporariesOf(file)).length === 0) return;
  await withFileLock(file, () => removeTemporaries(file)).catch(() => {
    // The folder is read-only, or belongs to another user: the files stay, and the keys can be read.
  });
}

async function requirePrivateFolder(folder: string): Promise<void> {
  const stats = await stat(folder).catch((error: unknown) => {
    throw codeOf(error) === "ENOENT" ? new KeyFileError(missingFolderProblem(folder)) : error;
  });
  const problem = privateFolderProblem(stats, folder);
  if (problem !== undefined) throw new KeyFileError(problem);
}

async function readOwnFile(path: string): Promise<string | undefined> {
  const handle = await openIfPresent(path);
  if (handle === undefined) return undefined;
  try {
    // Checks the open file, so that the checked file is the one that is read.
    const stats = await handle.stat();
    // Before its mode: to change the mode of a folder or a device would do harm.
    if (!stats.isFile()) throw new KeyFileError("it is not a file");
    const problem = privateFileProblem(stats, path);
    if (problem !== undefined) throw new KeyFileError(problem);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Only an error of the system is kept as the cause: others may contain parts of a key. */
function toKeyFileError(path: string, done: "read" | "written", error: unknown): KeyFileError {
  const why = error instanceof KeyFileError ? error.message : (codeOf(error) ?? "unknown error");
  const options = error instanceof Error && "syscall" in error ? { cause: error } : {};
  return new KeyFileError(`The key file ${path} cannot be ${done}: ${why}`, options);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** How long a process waits before it tries again, in milliseconds. */
const pause = 5;

/**
 * Runs work that only one process at a time may do with a file. Other processes wait. A lock that a killed process has left is
 * removed.
 *
 * @param staleAfter after how many milliseconds the process that took a lock must have ended, because it needs the lock for a few
 * file operations only. Default: 10 000.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, staleAfter = 10_000): Promise<T> {
  const lock = `${path}.lock`;
  let seen: { readonly id: string; readonly since: number } | undefined;
  while (!(await ifAbsent(create(lock)))) {
    const id = await identityOf(lock);
    // Measured here, because the clock of a shared file system may differ.
    if (seen === undefined || id !== seen.id) seen = { id, since: performance.now() };
    else if (performance.now() - seen.since > staleAfter) await rm(lock, { force: true });
    await setTimeout(pause);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function create(path: string): Promise<void> {
  await (await open(path, "wx", 0o600)).close();
}

/** Returns a text that differs from that of every other lock at this path. */
async function identityOf(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined ? "" : `${stats.ino} ${stats.mtimeMs}`;
}
