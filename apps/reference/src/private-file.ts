import { randomBytes } from "node:crypto";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Replaces a file that only its owner may read, all at once: whoever reads sees the old text or the new one. */
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

/** Removes the temporary files that a process left in a folder because it was killed while it replaced a file there. */
export async function removeLeftovers(folder: string): Promise<void> {
  const leftovers = (await readdir(folder)).filter((name) => /.\.[0-9a-f]{16}\.tmp$/.test(name));
  // Those of other users stay where the folder is shared with them.
  await Promise.allSettled(leftovers.map((name) => rm(join(folder, name), { force: true })));
}
