import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Creates a folder that only its owner may use (0700), and those above it. Node's recursive `mkdir` never returns in /proc. */
export async function createFolder(path: string): Promise<void> {
  if (await exists(path)) return;
  await createFolder(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have created it meanwhile.
    if (!(await exists(path))) throw error;
  });
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
