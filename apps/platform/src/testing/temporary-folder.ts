import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

const { MEMORY_TMPDIR = tmpdir() } = process.env;

/** Creates a temporary folder, in memory where that is possible. The caller removes it. */
export async function newTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(MEMORY_TMPDIR, "platform-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export async function temporaryFolder(): Promise<string> {
  const { path, remove } = await newTemporaryFolder();
  onTestFinished(remove);
  return path;
}
