import { statSync } from "node:fs";
import { StorageError } from "../../../ports/storage.js";

/**
 * Creates a check that the paths of a database and its log still refer to the open files. Without it, a process would
 * commit to a deleted or replaced file, and its data would be lost.
 *
 * The check never opens the files: closing them again would drop the database's lock.
 *
 * @returns a function that throws StorageError "lost" when a path refers to another file or none.
 */
export function createFileWatch(path: string): () => void {
  const opened = [path, `${path}-wal`].map((file) => ({ file, identity: identityOf(file) }));
  return () => {
    for (const { file, identity } of opened) if (identityOf(file) !== identity) throw new StorageError("lost");
  };
}

/** Returns device and inode; undefined when there is no such file. The inode of an open file is never reused. */
function identityOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}:${stats.ino}`;
}
