import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { MEMORY_TMPDIR = tmpdir() } = process.env;

/** Creates a temporary folder, in memory where that is possible: no test of the storage needs a real disk. */
export function createMemoryFolder(): string {
  return mkdtempSync(join(MEMORY_TMPDIR, "platform-sqlite-"));
}
