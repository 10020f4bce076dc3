import { existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const memory = "/dev/shm";

/**
 * Returns a folder whose files are in memory. Returns the system's folder for temporary files if this machine has none, or if less than
 * 1 GiB of it is left: containers often have 64 MiB.
 */
export function memoryFolder(): string {
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= 2 ** 30 ? memory : tmpdir();
}
