import { execFileSync } from "node:child_process";
import { closeSync, globSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

/** A disk that a test can fill. */
export interface Disk {
  readonly how: string;
  fill(pid: number): void;
  free(pid: number): void;
  release(): void;
}

/**
 * Returns the disk of a folder. As root this is a file system of its own, where writes fail with ENOSPC. Elsewhere, a limit on the
 * size of files simulates it: writes fail with EFBIG.
 */
export function createDisk(folder: string): Disk {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m,mode=700", "faults", folder], { stdio: "ignore" });
  } catch {
    return limitFileSizes(folder);
  }
  const ballast = join(folder, "ballast");
  return {
    how: "a full tmpfs",
    fill() {
      const file = openSync(ballast, "w");
      // The last bytes are written one page at a time.
      for (const size of [2 ** 20, 4096]) writeUntilFull(file, Buffer.alloc(size));
      closeSync(file);
    },
    free: () => rmSync(ballast),
    // Lazily: the app's files may still be open.
    release: () => execFileSync("umount", ["--lazy", folder]),
  };
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) === bytes.length);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}

function limitFileSizes(folder: string): Disk {
  const limit = (pid: number, size: string) =>
    execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}:unlimited`]);
  return {
    how: "a limit on the size of files",
    fill(pid) {
      const sizes = globSync(join(folder, "platform.sqlite*")).map((path) => statSync(path).size);
      limit(pid, String(Math.min(...sizes)));
    },
    free: (pid) => void limit(pid, "unlimited"),
    release: () => undefined,
  };
}
