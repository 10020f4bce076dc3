import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** Whether the measured process has a core to itself. Otherwise it competes with the load. */
export const pinned = process.platform === "linux" && availableParallelism() > 1 && canPin();

/** The command that runs a program on the first core, where nothing else of a benchmark runs. */
export const onFirstCore: readonly string[] = pinned ? ["taskset", "-c", "0"] : [];

/** The command that runs a program on all cores. */
export const onAllCores: readonly string[] = pinned ? ["taskset", "-c", `0-${availableParallelism() - 1}`] : [];

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
