import { rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createMemoryFolder } from "./memory-folder.js";

/** Returns the path of a new database in a temporary directory, which is removed when the test finishes. */
export function temporaryPath(): string {
  const directory = createMemoryFolder();
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "platform.db");
}
