import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startBuiltProgram } from "@platform-rpc/testbed/app";
import { freePort } from "@platform-rpc/testbed/network";
import type { RunningProgram } from "@platform-rpc/testbed/processes";
import { fixture, type Target } from "../load/plan.ts";

/** The platform app as a process that can be ended and started again on the same ports and data. */
export interface AppProcess {
  readonly target: Target;
  readonly pid: number;
  /** Starts it. Resolves with the milliseconds until it is ready. @throws when it ends before. */
  start(): Promise<number>;
  launch(): void;
  kill(): Promise<void>;
  /** Stops it gracefully. @throws when it does not end with exit code 0. */
  stop(): Promise<void>;
  /** Runs a command of the app, with its settings, to its end. @throws with its output when it fails. */
  command(...args: string[]): Promise<void>;
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
  const settings = {
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
  let current: RunningProgram | undefined;
  const launch = (...args: string[]) => {
    const log = openSync(logFile, "a");
    const program = startBuiltProgram("main", settings, { stderr: log, args });
    closeSync(log);
    return program;
  };
  const log = () => readFileSync(logFile, "utf8");

  return {
    target: {
      publicUrl: `http://127.0.0.1:${port}`,
      internalUrl: `http://127.0.0.1:${internalPort}`,
      accountsUrl: `http://127.0.0.1:${accountsPort}`,
      pagesUrl: `http://accounts.localhost:${accountsPort}`,
      adminTokenFile: join(dataDir, "admin.token"),
    },
    get pid() {
      return current?.pid ?? 0;
    },
    launch() {
      current = launch();
    },
    async start() {
      const startedAt = performance.now();
      current = launch();
      await current.printed("Ctrl+C").catch((cause: unknown) => {
        throw new Error(`The app ended before it was ready. See ${logFile}:\n${log()}`, { cause });
      });
      return performance.now() - startedAt;
    },
    async kill() {
      await current?.stop("SIGKILL");
    },
    async stop() {
      const code = await current?.stop();
      if (code !== 0) throw new Error(`The app ended with ${code}. See ${logFile}.`);
    },
    async command(...args) {
      if ((await launch(...args).ended) !== 0) throw new Error(`${args[0]} failed. See ${logFile}:\n${log()}`);
    },
    log,
  };
}
