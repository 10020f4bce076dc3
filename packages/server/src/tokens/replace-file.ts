import { randomBytes } from "node:crypto";
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Replaces a file that only its owner may use, all at once and durably: a reader finds the old text or the new one. */
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
 * Removes the temporary files that a process left beside `path` because it was killed while it replaced the file. They
 * hold what the file holds. Those of other users stay where the folder is shared with them.
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

/** A renaming survives a power cut only once the folder itself is on the disk. */
async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
