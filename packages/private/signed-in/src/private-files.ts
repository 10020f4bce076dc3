import { access, constants, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { createPrivateFolder, readCheckedFile, replacePrivateFile, sharingProblem } from "@platform-rpc/files";
import { ProgramError } from "./errors.js";

/** Returns the programs' folder: `PLATFORM_CONFIG_DIR`, or `platform` in `XDG_CONFIG_HOME` or `~/.config` (XDG Base Directory). */
export function configFolder(environment: Readonly<Record<string, string | undefined>>, home: string): string {
  const { PLATFORM_CONFIG_DIR, XDG_CONFIG_HOME = "" } = environment;
  // The specification ignores a relative path: in each folder, the session would be another one.
  return PLATFORM_CONFIG_DIR || join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, ".config"), "platform");
}

/** Creates the programs' folder, and those above it, for their owner only (0700). @throws ProgramError if that fails. */
export async function prepareFolder(path: string): Promise<void> {
  try {
    await createPrivateFolder(path);
    await access(path, constants.W_OK);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const advice = "Set PLATFORM_CONFIG_DIR to a folder that you can write.";
    throw new ProgramError(`The folder ${path} cannot be used: ${error.message}. ${advice}`);
  }
}

/** Replaces a file that only its owner can use (0600), in one step. @throws ProgramError if it cannot be written */
export async function writeSecretFile(path: string, value: unknown): Promise<void> {
  await prepareFolder(dirname(path));
  try {
    await replacePrivateFile(path, `${JSON.stringify(value)}\n`);
  } catch (error) {
    throw new ProgramError(`${path} cannot be written: ${messageOf(error)}`);
  }
}

/** Reads a file of `writeSecretFile`: undefined if there is none, null without JSON. @throws ProgramError also if others can use it. */
export async function readSecretFile(path: string): Promise<unknown> {
  try {
    const text = await readCheckedFile(path, (stats) => {
      const problem = sharingProblem(stats, path);
      if (problem !== undefined) throw new ProgramError(`${path} ${problem.how}. Remove it, and unlock again.`);
    });
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error instanceof ProgramError ? error : new ProgramError(`${path} cannot be read: ${messageOf(error)}`);
  }
}

export async function removeSecretFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
