import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

const flags = [
  "--disable-warning=ExperimentalWarning",
  "--import",
  new URL("./resolve-typescript.ts", import.meta.url).href,
];

/** Whether servers and load run on different cores. Otherwise they compete for the same ones. */
const pinned = process.platform === "linux" && availableParallelism() > 1 && canPin();

/** Options of `fork` for a process on the first core, which runs nothing else of a benchmark. */
export const onFirstCore = pinned
  ? { execPath: "taskset", execArgv: ["-c", "0", process.execPath, ...flags] }
  : { execArgv: flags };

/** Options of `fork` for a process on the cores of this one. */
export const onOtherCores = { execArgv: flags };

/** Moves this process, which generates the load, to all cores but the first. */
export function pinLoad(): void {
  if (pinned) execFileSync("taskset", ["-acp", `1-${availableParallelism() - 1}`, String(process.pid)]);
}

function canPin(): boolean {
  try {
    execFileSync("taskset", ["-c", "0", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
