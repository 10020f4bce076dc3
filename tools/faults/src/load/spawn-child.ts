import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Runs a program with Node as a child process, which ends with this process at the latest. */
export function spawnChild(args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, [...args], options);
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}
