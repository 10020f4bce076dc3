import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { requestOnce } from "../load/connection.ts";

const program = fileURLToPath(new URL("../../../../apps/reference/dist/main.js", import.meta.url));

/** The reference app in a child process. */
export interface RunningApp {
  readonly pid: number;
  /** The time from the start of the process to the first 200, in milliseconds. */
  readonly startedInMs: number;
  stop(): Promise<void>;
}

/** Starts the reference app with a command that runs Node, and waits until it answers `request` with 200. */
export async function startApp(
  node: readonly [string, ...string[]],
  port: number,
  request: () => Buffer,
  environment: Readonly<Record<string, string>>,
): Promise<RunningApp> {
  const startedAt = performance.now();
  const child = run(node, ["--disable-sigusr1", program], {
    PORT: String(port),
    INTERNAL_PORT: "0",
    ACCOUNTS_PORT: "0",
    ...environment,
  });
  const ended = once(child, "exit");
  let startedInMs: number | undefined;
  while (startedInMs === undefined) {
    if (child.exitCode !== null) throw new Error(`The reference app ended with exit code ${child.exitCode}.`);
    const answered = await attempt(port, request);
    if (answered?.status === 200) startedInMs = performance.now() - startedAt;
  }
  return {
    pid: child.pid ?? 0,
    startedInMs,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function attempt(port: number, request: () => Buffer) {
  try {
    return await requestOnce(port, request());
  } catch {
    // The app does not listen yet. Waits, so that polling takes no CPU time from it.
    await setTimeout(1);
    return undefined;
  }
}

/** Runs Node as a child process, which ends with this process at the latest. */
export function run(
  [command, ...rest]: readonly [string, ...string[]],
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const child = spawn(command, [...rest, ...args], { env: { ...process.env, ...environment }, stdio: "ignore" });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return child;
}
