import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ProgramError } from "./errors.js";
import { prepareFolder } from "./private-files.js";

/**
 * Replaces a file that only its owner can use (0600), in one step.
 *
 * @throws ProgramError if it cannot be written
 */
export async function writeSecretFile(path: string, value: unknown): Promise<void> {
  await prepareFolder(dirname(path));
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    // "wx" never writes to a file that somebody else has created.
    await writeFile(temporary, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: "wx", flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new ProgramError(`${path} cannot be written: ${messageOf(error)}`);
  }
}

/**
 * Reads a file of {@link writeSecretFile}. Returns undefined if there is none, and null if it contains no JSON.
 *
 * @throws ProgramError if it cannot be read, or if other users can use it
 */
export async function readSecretFile(path: string): Promise<unknown> {
  const file = await open(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new ProgramError(`${path} cannot be read: ${messageOf(error)}`);
  });
  if (file === undefined) return undefined;
  try {
    const { uid, mode } = await file.stat();
    const user = process.getuid?.();
    // Windows has neither user ids nor modes.
    if (user !== undefined && (uid !== user || (mode & 0o077) !== 0)) {
      throw new ProgramError(`Other users can use ${path}, and may have copied it. Remove it, and unlock again.`);
    }
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  } finally {
    await file.close();
  }
}

export async function removeSecretFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

function codeOf(error: unknown): unknown {
  const { code }: { readonly code?: unknown } = Object(error);
  return code;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
