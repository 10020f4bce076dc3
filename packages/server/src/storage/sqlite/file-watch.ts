import { statSync } from "node:fs";
import { StorageError } from "../../ports/storage.js";

/**
 * Watches that the paths of a database still lead to the files that are open: its own and that of its log. A process
 * that goes on with a file that was deleted or replaced commits to what nobody will ever find again.
 *
 * The files are never opened for it: closing them again would drop the database's lock.
 *
 * @returns a function that throws StorageError "lost" when a path leads elsewhere or nowhere.
 */
export function createFileWatch(path: string): () => void {
  const opened = [path, `${path}-wal`].map((file) => ({ file, identity: identityOf(file) }));
  return () => {
    for (const { file, identity } of opened) if (identityOf(file) !== identity) throw new StorageError("lost");
  };
}

/** Device and inode; undefined when there is no such file. While a file is open, its inode is not given to another. */
function identityOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}:${stats.ino}`;
}
