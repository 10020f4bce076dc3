import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";

/** Before this process is pinned: afterwards, it is told of the cores that are left. */
const cores = availableParallelism();

/** Whether the measured process has a core to itself. Otherwise it competes with the load. */
export const pinned = process.platform === "linux" && cores > 1 && canPin();

/** The command that runs a program on the first core, where nothing else of a benchmark runs. */
export const onFirstCore: readonly string[] = pinned ? ["taskset", "-c", "0"] : [];

export const onAllCores: readonly string[] = pinned ? ["taskset", "-c", `0-${cores - 1}`] : [];

export function pinLoad(): void {
  if (pinned) execFileSync("taskset", ["-acp", `1-${cores - 1}`, String(process.pid)]);
}

export function unpinLoad(): void {
  if (pinned) execFileSync("taskset", ["-acp", `0-${cores - 1}`, String(process.pid)]);
}

function canPin(): boolean {
  try {
    execFileSync("taskset", ["-c", "0", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
