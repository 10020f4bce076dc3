import { fork } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { type Load, runLoad } from "./load.ts";
import { onAllCores, onFirstCore } from "./pinning.ts";
import { quantile } from "./rounds.ts";
import type { FromTarget } from "./serve-target.ts";

const flags = [
  "--disable-warning=ExperimentalWarning",
  "--import",
  new URL("./resolve-typescript.ts", import.meta.url).href,
];

const sides = {
  measured: [...onFirstCore, process.execPath],
  load: [process.execPath],
  anywhere: [...onAllCores, process.execPath],
} as const;

/** The result of a load on a target. `cpu` is the CPU time of its process per request, in microseconds; latencies are in ms. */
export type Measured = Readonly<Record<"rate" | "cpu" | "p50" | "p99", number>>;

export interface Target {
  readonly port: number;
  /** An access token that the server accepts; empty when it requires none. */
  readonly token: string;
  measure(load: Load): Promise<Measured>;
  /** Returns the CPU time that its process has used, user and system, in microseconds. */
  cpuMicros(): Promise<number>;
  /** Asks the server for a number: see `serveTarget`. */
  ask(question: string): Promise<number>;
  loggedLines(): number;
  stop(): Promise<void>;
}

export async function measureLoad(port: number, load: Load, cpuMicros: () => Promise<number>): Promise<Measured> {
  let before = 0;
  const { seconds, latencies } = await runLoad(port, load, async () => {
    before = await cpuMicros();
  });
  return {
    rate: load.requests / seconds,
    cpu: ((await cpuMicros()) - before) / load.requests,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/**
 * Starts `module` as a child process. Its standard output and standard error, to which servers log, go to a file.
 *
 * @param side "measured" runs alone on the first core, "load" on the other cores, "anywhere" on all of them. Default: "measured".
 */
export async function startTarget(
  module: URL,
  args: readonly string[] = [],
  side: keyof typeof sides = "measured",
): Promise<Target> {
  const [command = process.execPath, ...commandArgs] = sides[side];
  const folder = createTemporaryFolder("bench");
  const log = join(folder.path, "log");
  const descriptor = openSync(log, "a");
  const child = fork(fileURLToPath(module), args, {
    execPath: command,
    execArgv: [...commandArgs, ...flags],
    env: { ...process.env, TMPDIR: folder.path },
    stdio: ["ignore", descriptor, descriptor, "ipc"],
  });
  closeSync(descriptor);
  const logged = () => readFileSync(log, "utf8");
  const message = () =>
    new Promise<FromTarget>((resolve, reject) => {
      child.once("message", (value: FromTarget) => {
        child.off("exit", gone);
        resolve(value);
      });
      const gone = () => reject(new Error(`The server ended: ${args.join(" ")}\n${logged().slice(-2000)}`));
      child.once("exit", gone);
    });
  const ask = async (question: string): Promise<number> => {
    child.send(question);
    const reply = await message();
    return "answer" in reply ? reply.answer : Number.NaN;
  };
  const cpuMicros = () => ask("cpu");
  const started = await message();
  const { port, token } = "port" in started ? started : { port: 0, token: "" };
  return {
    port,
    token,
    ask,
    cpuMicros,
    measure: (load) => measureLoad(port, load, cpuMicros),
    loggedLines: () => logged().split("\n").length - 1,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => {
          folder.remove();
          resolve();
        });
        child.disconnect();
      }),
  };
}
