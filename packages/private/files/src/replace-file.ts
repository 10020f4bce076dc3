import { randomBytes } from "node:crypto";
import { link, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ifAbsent } from "./file-lock.js";

/**
 * Replaces a private file atomically: a reader sees the old text or the new one. Sets mode 600.
 *
 * @param durable whether it resolves when the text is on disk. Pass false for a file that is often replaced, and may be lost in a power cut.
 */
export async function replacePrivateFile(path: string, text: string, durable = true): Promise<void> {
  await withTemporary(path, text, durable, (temporary) => rename(temporary, path));
  if (durable) await flushFolder(dirname(path));
}

/**
 * Creates a private file atomically and durably, unless there is one. Sets mode 600.
 *
 * @returns whether it was created: true in one of any number of processes.
 */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  // Unlike a rename, a link never replaces a file.
  const created = await withTemporary(path, text, true, (temporary) => ifAbsent(link(temporary, path)));
  // Also if another process has created the file: it may not have flushed the folder yet.
  await flushFolder(dirname(path));
  return created;
}

async function withTemporary<T>(
  path: string,
  text: string,
  flush: boolean,
  use: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    // "wx" never writes to a file that somebody else has created.
    await writeFile(temporary, text, { mode: 0o600, flag: "wx", flush });
    return await use(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A file that is going to replace another one, or was left by a process that was killed before it did. It contains the same secrets. */
export interface Temporary {
  readonly path: string;
  /** The path of the other one. */
  readonly of: string;
}

/** Returns the temporary files in a folder. */
export async function temporariesIn(folder: string): Promise<readonly Temporary[]> {
  return (await readdir(folder)).flatMap((name) => {
    const of = /^(.+)\.[0-9a-f]{16}\.tmp$/s.exec(name)?.[1];
    return of === undefined ? [] : [{ path: join(folder, name), of: join(folder, of) }];
  });
}

/** Removes temporary files. Ignores those that cannot be removed, such as those of other users in a shared folder. */
export async function removeTemporaries(temporaries: readonly Temporary[]): Promise<void> {
  await Promise.allSettled(temporaries.map(({ path }) => rm(path, { force: true })));
}

/** Flushes a folder to disk. A rename survives a power cut only after that. Windows cannot open folders. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
