import { randomBytes } from "node:crypto";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

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

/** Removes the temporary files of processes that were killed while replacing a file in the folder. */
export async function removeLeftovers(folder: string): Promise<void> {
  const leftovers = (await readdir(folder)).filter((name) => /.\.[0-9a-f]{16}\.tmp$/.test(name));
  // In a shared folder, files of other users cannot be removed and stay.
  await Promise.allSettled(leftovers.map((name) => rm(join(folder, name), { force: true })));
}
