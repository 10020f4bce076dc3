import { access, constants, mkdir, stat } from "node:fs/promises";
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
