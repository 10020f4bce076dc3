import type { Stats } from "node:fs";
import { open } from "node:fs/promises";

/**
 * Reads a file whose owner and mode were checked: of the open file, because the path may name another one a moment later. Returns
 * undefined if there is none.
 *
 * @param check throws if the file must not be read
 */
export async function readCheckedFile(path: string, check: (stats: Stats) => void): Promise<string | undefined> {
  const file = await open(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    check(await file.stat());
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Returns the code of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
