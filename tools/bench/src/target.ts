import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { type Load, type LoadResult, runLoad } from "./load.ts";

/** A measured server, running in a child process. */
export interface Target {
  readonly port: number;
  /** An access token that the server accepts; empty when it requires none. */
  readonly token: string;
  /** Loads the server. The result includes its CPU time per request, in microseconds. */
  measure(load: Omit<Load, "port">): Promise<LoadResult & { readonly cpuMicros: number }>;
  stop(): Promise<void>;
}

type FromTarget = { readonly port: number; readonly token: string } | { readonly cpuMicros: number };

/**
 * Starts `module` as a child process, pinned to one core where the system supports it. The module sends its port, and
 * answers every message with the CPU time that its process has used.
 */
export async function startTarget(module: string, args: readonly string[]): Promise<Target> {
  const pinned = process.platform === "linux" && availableParallelism() > 1;
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), args, {
    ...(pinned && { execPath: "taskset", execArgv: ["-c", "0", process.execPath] }),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const message = () =>
    new Promise<FromTarget>((resolve, reject) => {
      child.once("message", (value: FromTarget) => {
        child.off("exit", gone);
        resolve(value);
      });
      const gone = () => reject(new Error(`the server of ${module} ${args.join(" ")} ended`));
      child.once("exit", gone);
    });
  const cpuUsed = async () => {
    child.send("cpu");
    const answer = await message();
    return "cpuMicros" in answer ? answer.cpuMicros : 0;
  };
  const started = await message();
  const { port, token } = "port" in started ? started : { port: 0, token: "" };
  return {
    port,
    token,
    async measure(load) {
      const before = await cpuUsed();
      const result = await runLoad({ ...load, port });
      return { ...result, cpuMicros: ((await cpuUsed()) - before) / result.requests };
    },
    stop() {
      return new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.disconnect();
      });
    },
  };
}

/** Implements the child's side of `startTarget`: sends the port and token, and the CPU time on every message. */
export function serveTarget(port: number, token = ""): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system });
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ port, token });
}
