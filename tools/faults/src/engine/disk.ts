import { execFileSync } from "node:child_process";
import { closeSync, globSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";

export interface Disk {
  /** How it is filled, for people. */
  readonly how: string;
  fill(pid: number): void;
  free(pid: number): void;
  release(): void;
}

/** Mounts a file system over a folder, where writes fail with ENOSPC once it is full. @throws when this process may not mount. */
export function mountDisk(folder: string, mebibytes: number): Disk {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=700`, "faults", folder], { stdio: "pipe" });
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

/** Simulates a disk with a limit on the size of files of a process: writes fail with EFBIG. */
export function limitFileSizes(folder: string): Disk {
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
