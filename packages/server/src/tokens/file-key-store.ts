import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { KeyFileFailure, type KeyStore, parseKeyFile } from "./key-file.js";

const ownerOnly = 0o600;
const groupOrOthers = 0o077;

/**
 * Keeps a key file on a disk (POSIX: it relies on file modes, and on renaming being atomic).
 *
 * A file that anyone but its owner may touch is refused, not mended: whoever could read it may have. The directory must
 * exist.
 *
 * @example
 * ```ts
 * import { createFileKeyStore, createKeyRing } from "@platform/server";
 *
 * const store = createFileKeyStore("keys.json");
 * const [first, second] = [await createKeyRing({ store, clock }), await createKeyRing({ store, clock })];
 * console.log(first.currentKeyId() === second.currentKeyId());
 * // true
 * ```
 */
export function createFileKeyStore(path: string): KeyStore {
  return {
    async load() {
      try {
        const text = await readOwnFile(path);
        return text === undefined ? undefined : parseKeyFile(text);
      } catch (error) {
        throw failure(path, "read", error);
      }
    },

    async save(file) {
      try {
        await replaceFile(path, `${JSON.stringify(file, undefined, 2)}\n`);
      } catch (error) {
        throw failure(path, "written", error);
      }
    },
  };
}

async function readOwnFile(path: string): Promise<string | undefined> {
  const handle = await openIfPresent(path);
  if (handle === undefined) return undefined;
  try {
    // Asked of the open file, so that what is judged is what is read.
    const { mode } = await handle.stat();
    if ((mode & groupOrOthers) !== 0) throw new KeyFileFailure("others than its owner may use it; run: chmod 600");
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

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await writeDurably(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushDirectory(dirname(path));
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, "wx", ownerOnly);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A renaming survives a power cut only once the directory itself is on the disk. */
async function flushDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function failure(path: string, done: "read" | "written", error: unknown): KeyFileFailure {
  const why = error instanceof KeyFileFailure ? error.message : (codeOf(error) ?? "unknown error");
  return new KeyFileFailure(`The key file ${path} cannot be ${done}: ${why}`);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
