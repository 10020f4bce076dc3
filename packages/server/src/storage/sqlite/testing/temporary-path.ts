import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Returns the path of a new database in a temporary directory, which is removed when the test finishes. */
export function temporaryPath(): string {
  const directory = mkdtempSync(join(tmpdir(), "platform-sqlite-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "platform.db");
}
