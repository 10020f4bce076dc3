import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

const folders = new Set<string>();
process.once("exit", () => folders.forEach(remove));

/** Creates a temporary folder. It is removed when this process exits, unless `remove` is called before. */
export function createTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "platform-bench-"));
  folders.add(path);
  return { path, remove: () => remove(path) };
}

function remove(path: string): void {
  folders.delete(path);
  rmSync(path, { recursive: true, force: true });
}
