import { randomUUID } from "node:crypto";
import { access, constants, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { ProgramError } from "./errors.js";

/**
 * Returns the folder of the programs' files: `PLATFORM_CONFIG_DIR`, or `platform` in `XDG_CONFIG_HOME` or `~/.config`.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function configFolder(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const { PLATFORM_CONFIG_DIR, XDG_CONFIG_HOME = "" } = environment;
  // The specification ignores a relative path: in each folder, the session would be another one.
  return PLATFORM_CONFIG_DIR || join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, ".config"), "platform");
}

/**
 * Creates the folder of the programs' files, and those above it, if they do not exist. Only their owner may use them (0700).
 *
 * @throws ProgramError if the folder cannot be created or written.
 */
export async function prepareFolder(path: string): Promise<void> {
  try {
    await create(path);
    await access(path, constants.W_OK);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const advice = "Set PLATFORM_CONFIG_DIR to a folder that you can write.";
    throw new ProgramError(`The folder ${path} cannot be used: ${error.message}. ${advice}`);
  }
}

/** Node's recursive `mkdir` never returns for a missing folder in /proc. */
async function create(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await create(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!(await isFolder(path))) throw error;
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

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
