import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Whether the shim works on this machine. */
export interface ShimSupport {
  readonly skip: boolean;
  /** For titles of tests. It gives the reason if they are skipped. */
  readonly title: string;
}

/** Checks for a C compiler for Linux with glibc, whose functions the shim replaces. */
function findSupport(): ShimSupport {
  const target = process.platform === "linux" ? spawnSync("cc", ["-dumpmachine"], { encoding: "utf8" }) : undefined;
  if (target === undefined) return { skip: true, title: "recorded I/O (skipped: the recorder needs Linux)" };
  if (target.error !== undefined) return { skip: true, title: "recorded I/O (skipped: there is no C compiler cc)" };
  const glibc = target.stdout.includes("linux-gnu");
  return { skip: !glibc, title: `recorded I/O${glibc ? "" : " (skipped: the recorder needs glibc)"}` };
}

export const shimSupport: ShimSupport = findSupport();

/** Settings of the shim. Each is explained in `shim.c`. */
export interface ShimOptions {
  /** The folder whose files are recorded: absolute, without symbolic links, flat. */
  readonly folder: string;
  /** The file to which the operations are appended. */
  readonly log: string;
}

/** Compiles the shim into a folder. Returns the environment of a Node process that runs under it. */
export function compileShim(folder: string): (options: ShimOptions) => NodeJS.ProcessEnv {
  const library = join(folder, "shim.so");
  const source = fileURLToPath(new URL("./shim.c", import.meta.url));
  execFileSync("cc", ["-O1", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"]);
  return (options) => ({
    ...process.env,
    LD_PRELOAD: library,
    // The shim does not see operations that libuv passes to io_uring.
    UV_USE_IO_URING: "0",
    POWER_CUT_FOLDER: options.folder,
    POWER_CUT_LOG: options.log,
  });
}
