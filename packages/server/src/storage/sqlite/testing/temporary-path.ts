import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const { MEMORY_TMPDIR = tmpdir() } = process.env;

/** Creates a temporary folder, in memory where that is possible: no test of the storage needs a real disk. */
export function createMemoryFolder(): string {
  return mkdtempSync(join(MEMORY_TMPDIR, "platform-sqlite-"));
}

/** Returns the path of a new database in a temporary directory, which is removed when the test finishes. */
export function temporaryPath(): string {
  const directory = createMemoryFolder();
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "platform.db");
}
