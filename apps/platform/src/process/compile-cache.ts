import { lstat, realpath, stat } from "node:fs/promises";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { createPrivateFolder, privateFolderProblem, sharingProblem } from "@platform-rpc/files";

/**
 * Keeps compiled code in DATA_DIR, so that the next start need not compile it. Call it before the modules of the program are loaded.
 * NODE_COMPILE_CACHE has precedence.
 */
export async function keepCompiledCode({ DATA_DIR }: Readonly<Record<string, string | undefined>>): Promise<void> {
  if (getCompileCacheDir() !== undefined) return;
  // The default is that of the settings, which are not loaded yet.
  const folder = await compileCacheFolder(DATA_DIR || "./data");
  if (folder !== undefined) enableCompileCache(folder);
}

/**
 * Returns the folder in DATA_DIR for the compiled code of this program. Creates it if DATA_DIR exists. Returns undefined where the program
 * can only start without it, which takes longer: what the folder contains is run, so nobody but this user may put anything there.
 */
export async function compileCacheFolder(dataDir: string): Promise<string | undefined> {
  try {
    const parent = await realpath(dataDir);
    if (!(await onlyOwnersReplace(parent))) return undefined;
    const folder = join(parent, "compile-cache");
    await createPrivateFolder(folder);
    // Not `stat`: a link may lead to a folder that others prepare.
    return sharingProblem(await lstat(folder), folder) === undefined ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether only this user and root can put another folder in the place of one, or of those above it. */
async function onlyOwnersReplace(folder: string): Promise<boolean> {
  if (privateFolderProblem(await stat(folder), folder) !== undefined) return false;
  const parent = dirname(folder);
  return parent === folder || onlyOwnersReplace(parent);
}
