import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  codeOf,
  createPrivateFile,
  missingFolderProblem,
  privateFileProblem,
  privateFolderProblem,
  readCheckedFile,
  removeTemporaries,
  replacePrivateFile,
  temporariesIn,
  withFileLock,
} from "@platform-rpc/files";
import { isText, must, requireOptions } from "@platform-rpc/options";
import { type KeyFile, KeyFileError, type KeyStore, parseKeyFile } from "./key-file.js";

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

/**
 * Removes the temporary files of killed processes: under the lock, no process uses them. Takes the lock only if there are any, because the
 * folder may be read-only.
 */
async function removeLeftovers(file: string): Promise<void> {
  const leftovers = async () => (await temporariesIn(dirname(file))).filter(({ of }) => of === file);
  if ((await leftovers()).length === 0) return;
  await withFileLock(file, async () => removeTemporaries(await leftovers())).catch(() => {
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

function readOwnFile(path: string): Promise<string | undefined> {
  return readCheckedFile(path, (stats) => {
    // Before its mode: to change the mode of a folder or a device would do harm.
    if (!stats.isFile()) throw new KeyFileError("it is not a file");
    const problem = privateFileProblem(stats, path);
    if (problem !== undefined) throw new KeyFileError(problem);
  });
}

/** Only an error of the system is kept as the cause: others may contain parts of a key. */
function toKeyFileError(path: string, done: "read" | "written", error: unknown): KeyFileError {
  const why = error instanceof KeyFileError ? error.message : (codeOf(error) ?? "unknown error");
  const options = error instanceof Error && "syscall" in error ? { cause: error } : {};
  return new KeyFileError(`The key file ${path} cannot be ${done}: ${why}`, options);
}
