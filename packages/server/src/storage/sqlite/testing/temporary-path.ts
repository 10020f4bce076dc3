import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** The path of a database that does not exist yet, in a directory of its own that goes with the test. */
export function temporaryPath(): string {
  const directory = mkdtempSync(join(tmpdir(), "platform-sqlite-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "platform.db");
}
