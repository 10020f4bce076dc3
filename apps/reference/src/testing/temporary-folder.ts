import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** A folder that its owner removes. */
export async function newTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), "platform-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A folder that is gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const { path, remove } = await newTemporaryFolder();
  onTestFinished(remove);
  return path;
}
