import { openSync, readSync } from "node:fs";

/**
 * Returns a function that reads a whole file, and returns its size in bytes. Afterwards, the file is in the system's cache: some
 * systems drop what nothing has read for a few seconds, although there is enough memory.
 *
 * The file stays open, because closing it would drop SQLite's lock.
 */
export function createReadFile(path: string): () => number {
  const file = openSync(path, "r");
  const part = Buffer.alloc(1 << 20);
  return () => {
    let size = 0;
    let length: number;
    do {
      length = readSync(file, part, { position: size });
      size += length;
    } while (length > 0);
    return size;
  };
}
