import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** Replaces a file atomically: readers see the old text or the new one. Only its owner may read it (0600). */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Removes the temporary files of processes that were killed while replacing a file in the folder.
 *
 * @param except the path of a file whose temporary files are kept, because other processes may be replacing it.
 */
export async function removeLeftovers(folder: string, except?: string): Promise<void> {
  const kept = except === undefined ? undefined : `${relative(folder, except)}.`;
  const leftovers = (await readdir(folder)).filter(
    (name) => /.\.[0-9a-f]{16}\.tmp$/.test(name) && (kept === undefined || !name.startsWith(kept)),
  );
  // In a shared folder, files of other users cannot be removed and stay.
  await Promise.allSettled(leftovers.map((name) => rm(join(folder, name), { force: true })));
}

/**
 * Creates a folder, and those above it, if they do not exist. Only their owner may use them (0700).
 *
 * Node's recursive `mkdir` never returns for a missing folder in /proc.
 */
export async function createPrivateFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await createPrivateFolder(parent);
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
