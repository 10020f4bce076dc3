import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The wall clock of processes, which you can set. Their monotonic clock runs on. */
export interface Clock {
  readonly environment: Readonly<Record<string, string>>;
  /** Sets the clock to a number of minutes after the true time. */
  set(minutes: number): void;
}

/** Creates a clock with the true time. Its files are in a folder. It needs Linux and `cc`. */
export function createClock(folder: string): Clock {
  const file = join(folder, "clock");
  const library = join(folder, "clock-shim.so");
  const source = fileURLToPath(new URL("./clock-shim.c", import.meta.url));
  execFileSync("cc", ["-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"]);
  writeFileSync(file, new BigInt64Array([0n]));
  return {
    environment: { LD_PRELOAD: library, TESTBED_CLOCK_FILE: file },
    set: (minutes) => writeFileSync(file, new BigInt64Array([BigInt(minutes * 60)]), { flag: "r+" }),
  };
}
