import { randomUUID } from "node:crypto";
import type { Stats } from "node:fs";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Creates a folder that only its owner may use (0700), and those above it. Node's recursive `mkdir` never returns in /proc. */
export async function createFolder(path: string): Promise<void> {
  if (await exists(path)) return;
  await createFolder(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have created it meanwhile.
    if (!(await exists(path))) throw error;
  });
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Replaces a file that only its owner may use (0600), in one step. Resolves when it is on disk. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    // "wx" never writes to a file that somebody else has created.
    await writeFile(temporary, text, { mode: 0o600, flag: "wx", flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  // Makes the new name durable. Windows cannot open folders.
  const folder = await open(dirname(path)).catch(() => undefined);
  await folder?.sync();
  await folder?.close();
}

/** Checks that only the user of this process can use a file of secrets. @throws Error with the command that repairs it. */
export function refuseShared(path: string, { uid, mode }: Pick<Stats, "uid" | "mode">): void {
  // Windows has neither user ids nor modes.
  const user = process.getuid?.();
  if (user === undefined) return;
  const quoted = /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  if (uid !== user) {
    throw new Error(`${path} belongs to another user (uid ${uid}). Log in again after: rm ${quoted}`);
  }
  if ((mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, "0");
    throw new Error(
      `${path} can be used by other users (mode ${shown}), who may have copied it. Log in again after: chmod 600 ${quoted}`,
    );
  }
}
