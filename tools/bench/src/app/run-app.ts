import { setTimeout } from "node:timers/promises";
import { startBuiltProgram } from "@platform-rpc/testbed/app";
import { requestOnce } from "../load/connection.ts";

/** The platform app in a child process. */
export interface AnsweringApp {
  readonly pid: number;
  /** The time from the start of the process to the first 200, in milliseconds. */
  readonly startedInMs: number;
  stop(): Promise<void>;
}

/** Starts the platform app under a command, and waits until it answers `request` with 200. */
export async function startApp(
  under: readonly string[],
  port: number,
  request: () => Buffer,
  environment: Readonly<Record<string, string>>,
): Promise<AnsweringApp> {
  const startedAt = performance.now();
  const app = startBuiltProgram("main", { PORT: String(port), ...environment }, { under, stderr: "ignore" });
  let startedInMs: number | undefined;
  while (startedInMs === undefined) {
    if (!app.running) throw new Error(`The platform app ended with exit code ${await app.ended}.`);
    const answered = await attempt(port, request);
    if (answered?.status === 200) startedInMs = performance.now() - startedAt;
  }
  return {
    pid: app.pid,
    startedInMs,
    async stop() {
      await app.stop();
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
