import { randomBytes } from "node:crypto";
import { link, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Replaces a private file atomically and durably: a reader sees the old text or the new one. Sets mode 600. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  await withTemporary(path, text, (temporary) => rename(temporary, path));
  await flushFolder(dirname(path));
}

/**
 * Creates a private file atomically and durably, unless there is one. Sets mode 600.
 *
 * @returns whether it was created: true in one of any number of processes.
 */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  // Unlike a rename, a link never replaces a file.
  const created = await withTemporary(path, text, (temporary) => ifAbsent(link(temporary, path)));
  // Also if another process has created the file: it may not have flushed the folder yet.
  await flushFolder(dirname(path));
  return created;
}

/** Returns whether a file was created; false if there is one. Takes the creation of a file that must not exist. */
export async function ifAbsent(creation: Promise<unknown>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function withTemporary<T>(path: string, text: string, use: (temporary: string) => Promise<T>): Promise<T> {
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await writeDurably(temporary, text);
    return await use(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Removes the temporary files of `path`, which contain the same secrets. Call it while no process replaces the file: under its lock,
 * they are all left by processes that were killed. Ignores files that cannot be removed, such as those of other users in a shared
 * folder.
 */
export async function removeTemporaries(path: string): Promise<void> {
  const folder = dirname(path);
  const removals = (await temporariesOf(path)).map((name) => rm(join(folder, name), { force: true }));
  await Promise.allSettled(removals);
}

/** Returns the names of the temporary files of `path`, of processes that are replacing the file or were killed. */
export async function temporariesOf(path: string): Promise<readonly string[]> {
  const name = basename(path);
  return (await readdir(dirname(path))).filter(
    (entry) => entry.startsWith(`${name}.`) && /^\.[0-9a-f]{16}\.tmp$/.test(entry.slice(name.length)),
  );
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a folder to disk. A rename survives a power cut only after that. */
async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
