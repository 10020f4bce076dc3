import { closeSync, fsyncSync, openSync } from "node:fs";

/** Flushes a file, or the names in a folder, to disk. */
export function flush(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
