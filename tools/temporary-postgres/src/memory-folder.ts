import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";

/**
 * Returns a folder for temporary files that are in memory, or the system's folder for temporary files if there is no such folder, or
 * if it has less than 1 GiB left: in a container, it may have 64 MiB.
 */
export function memoryFolder(): string {
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= 2 ** 30 ? memory : tmpdir();
}
