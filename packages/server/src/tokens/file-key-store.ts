import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { KeyFileError, type KeyStore, parseKeyFile } from "./key-file.js";
import { faultOfPrivateFile, faultOfPrivateFolder, missingFolder } from "./private-path.js";
import { removeLeftovers, replacePrivateFile } from "./replace-file.js";

/**
 * Keeps a key file on a disk (POSIX: it relies on file modes, and on renaming being atomic).
 *
 * A file that another user owns or may use is refused, and so is one in a folder where another user may replace it: who
 * could read it may have, and the message says what to run. The folder must exist. The first `load` removes what a
 * process that was killed while it saved has left behind.
 *
 * @example
 * ```ts
 * import { createFileKeyStore } from "@platform-rpc/server";
 *
 * const keys = createFileKeyStore("keys.json");
 * console.log(await keys.load()); // before the first start
 * // undefined
 * ```
 */
export function createFileKeyStore(path: string): KeyStore {
  const file = resolve(path);
  let swept = false;
  return {
    async load() {
      try {
        await requirePrivateFolder(dirname(file));
        if (!swept) await removeLeftovers(file);
        swept = true;
        const text = await readOwnFile(file);
        return text === undefined ? undefined : parseKeyFile(text);
      } catch (error) {
        throw failure(path, "read", error);
      }
    },

    async save(keys) {
      try {
        await requirePrivateFolder(dirname(file));
        await replacePrivateFile(file, `${JSON.stringify(keys, undefined, 2)}\n`);
      } catch (error) {
        throw failure(path, "written", error);
      }
    },
  };
}

async function requirePrivateFolder(folder: string): Promise<void> {
  const stats = await stat(folder).catch((error: unknown) => {
    throw codeOf(error) === "ENOENT" ? new KeyFileError(missingFolder(folder)) : error;
  });
  const fault = faultOfPrivateFolder(stats, folder);
  if (fault !== undefined) throw new KeyFileError(fault);
}

async function readOwnFile(path: string): Promise<string | undefined> {
  const handle = await openIfPresent(path);
  if (handle === undefined) return undefined;
  try {
    // Asked of the open file, so that what is judged is what is read.
    const fault = faultOfPrivateFile(await handle.stat(), path);
    if (fault !== undefined) throw new KeyFileError(fault);
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

function failure(path: string, done: "read" | "written", error: unknown): KeyFileError {
  const why = error instanceof KeyFileError ? error.message : (codeOf(error) ?? "unknown error");
  return new KeyFileError(`The key file ${path} cannot be ${done}: ${why}`);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
