import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

/** A program with all of its descendants, which end together, like those of a machine that loses its power. */
export interface Machine {
  readonly running: boolean;
  start(): void;
  /** Ends all processes with SIGKILL. */
  kill(): Promise<void>;
}

const machines = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of machines) child.kill("SIGKILL");
});

/**
 * Creates a machine: a PID namespace with the program as its first process. When that one is killed, the kernel kills the others.
 * PostgreSQL refuses to run as root, so the program runs as `nobody` of a user namespace if this process is root.
 */
export function createMachine(
  command: readonly string[],
  { environment, log }: { readonly environment: NodeJS.ProcessEnv; readonly log: string },
): Machine {
  const user = process.getuid?.() === 0 ? ["--map-user=65534", "--map-group=65534"] : ["--map-current-user"];
  const namespaces = ["--user", ...user, "--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc"];
  let child: ChildProcess | undefined;
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    get running() {
      return isRunning();
    },
    start() {
      const output = openSync(log, "a");
      const env = { ...process.env, ...environment };
      const started = spawn("unshare", [...namespaces, ...command], {
        cwd: "/",
        stdio: ["ignore", output, output],
        env,
      });
      closeSync(output);
      machines.add(started);
      started.once("exit", () => machines.delete(started));
      child = started;
    },
    async kill() {
      if (child === undefined || !isRunning()) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
