import { open, rm, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { codeOf } from "./read-file.js";

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

/** Returns whether a file was created; false if there is one. Takes the creation of a file that must not exist. */
export async function ifAbsent(creation: Promise<unknown>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
