import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@platform-rpc/testbed/network";
import { fixture, type Target } from "../load/plan.ts";
import { spawnChild } from "../load/spawn-child.ts";

const program = fileURLToPath(new URL("../../../../apps/reference/dist/main.js", import.meta.url));

/** The reference app as a process that can be ended and started again on the same ports and data. */
export interface AppProcess {
  readonly target: Target;
  /** The process id of the current run. */
  readonly pid: number;
  /** Starts it. Resolves with the milliseconds until it is ready. @throws when it ends before. */
  start(): Promise<number>;
  /** Starts it without waiting until it is ready. */
  launch(): void;
  /** Sends SIGKILL, and waits until the process has ended. */
  kill(): Promise<void>;
  /** Stops it gracefully. @throws when it does not end with exit code 0. */
  stop(): Promise<void>;
  /** Runs a command of the app, with its settings, to its end. @throws with its output when it fails. */
  command(...args: string[]): Promise<void>;
  /** Returns the log of all runs. */
  log(): string;
}

/** Creates an app that stores its files in a folder. It ends with this process at the latest. */
export async function createAppProcess(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<AppProcess> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [port, internalPort, accountsPort] = [await freePort(), await freePort(), await freePort()];
  const logFile = join(folder, "app.log");
  const dataDir = join(folder, "data");
  const fullEnvironment = {
    ...process.env,
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    ACCOUNTS_PORT: String(accountsPort),
    ACCOUNTS_TENANT: fixture.tenantId,
    ACCOUNTS_ADDRESS_HEADER: "X-Real-IP",
    DATA_DIR: dataDir,
    DEMO: "off",
    RATE_LIMITS: "off",
    LOG_LEVEL: "warn",
    ...environment,
  };
  let child: ChildProcess | undefined;
  const current = () => {
    if (child === undefined) throw new Error("The app was not started.");
    return child;
  };
  const end = async (signal: NodeJS.Signals) => {
    const running = current();
    if (running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, "exit");
    running.kill(signal);
    await ended;
  };
  const launch = () => {
    const log = openSync(logFile, "a");
    const options = { env: fullEnvironment, stdio: ["ignore", "pipe", log] as ("ignore" | "pipe" | number)[] };
    child = spawnChild(["--disable-sigusr1", program], options);
    closeSync(log);
  };

  return {
    target: {
      publicUrl: `http://127.0.0.1:${port}`,
      internalUrl: `http://127.0.0.1:${internalPort}`,
      accountsUrl: `http://localhost:${accountsPort}`,
      adminTokenFile: join(dataDir, "admin.token"),
    },
    get pid() {
      return current().pid ?? 0;
    },
    launch,
    async start() {
      const startedAt = performance.now();
      launch();
      const { stdout } = current();
      if (stdout === null) throw new Error("The app has no standard output.");
      for await (const line of createInterface({ input: stdout })) {
        if (line.includes("Ctrl+C")) return performance.now() - startedAt;
      }
      throw new Error(`The app ended before it was ready. See ${logFile}:\n${readFileSync(logFile, "utf8")}`);
    },
    kill: () => end("SIGKILL"),
    async stop() {
      await end("SIGTERM");
      const { exitCode, signalCode } = current();
      if (exitCode !== 0) throw new Error(`The app ended with ${exitCode ?? signalCode}. See ${logFile}.`);
    },
    async command(...args) {
      await promisify(execFile)(process.execPath, ["--disable-sigusr1", program, ...args], { env: fullEnvironment });
    },
    log: () => readFileSync(logFile, "utf8"),
  };
}
