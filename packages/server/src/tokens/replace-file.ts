import { randomBytes } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Replaces a private file atomically and durably: a reader sees the old text or the new one. Sets mode 600. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await writeDurably(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushFolder(dirname(path));
}

/**
 * Removes the temporary files of `path` left by a process that was killed while it replaced the file: they contain the same
 * secrets. Ignores files that cannot be removed, such as those of other users in a shared folder.
 */
export async function removeLeftovers(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const leftovers = (await readdir(folder)).filter(
    (entry) => entry.startsWith(`${name}.`) && /^\.[0-9a-f]{16}\.tmp$/.test(entry.slice(name.length)),
  );
  await Promise.allSettled(leftovers.map((leftover) => rm(join(folder, leftover), { force: true })));
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
