import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileKeyStore, createSqliteStorage } from "@platform-rpc/server";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { freePort } from "@platform-rpc/testbed/network";
import { createDeletionRequests, vaults } from "../delete/deletions.ts";
import { runLoad } from "../load/load.ts";
import { interleave } from "../measure/interleave.ts";
import { createBenchPlatform, names } from "../platform/bench-platform.ts";
import { seed } from "../platform/seed.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { startApp } from "./run-app.ts";

const rounds = 7;
const requests = 6000;
const connections = 64;
const items = (rounds + 1) * (requests + connections) + 1;

/** Runs `pnpm bench workers`: durable deletions by the reference app, and the CPU time of each of its threads. */
export async function benchWorkers(): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const one = await startWorkers(1, stack);
  const two = await startWorkers(2, stack);
  await one();
  await two();
  const measured = await interleave(
    [
      ["1", one],
      ["2", two],
    ] as const,
    rounds,
  );

  const storage = measured.summary("2", "storage").median;
  const http = measured.summary("2", "http").median;
  const deletions = Math.round(1e6 / storage);
  return {
    title: "Several HTTP threads",
    method: `Durable deletions by the reference app with \`WORKERS\` 1 and 2; with 1, the main thread serves HTTP. The app shares its cores with the load, so the rates show only what a second thread costs. The CPU times show how many cores the app can use: on one core, the storage thread commits ${withDigits(deletions, 0)} deletions/s, and ${withDigits(http / storage, 1)} HTTP threads send that many. This limit does not apply to calls that do not use the storage.`,
    columns: ["WORKERS", "deletions/s", "CPU µs per deletion: HTTP threads", "storage thread", "main thread"],
    rows: (["1", "2"] as const).map((workers) => [
      workers,
      withSpread(measured.summary(workers, "rate"), 0),
      withSpread(measured.summary(workers, "http"), 0),
      withSpread(measured.summary(workers, "storage"), 0),
      withSpread(measured.summary(workers, "main"), 0),
    ]),
    measured: [],
  };
}

/** Starts the app on a database with items. Returns a function that deletes some of them. */
async function startWorkers(workers: number, stack: AsyncDisposableStack) {
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const storage = createSqliteStorage({ path: join(dataDir, "platform.sqlite") });
  const { platform, token } = await createBenchPlatform(storage, createFileKeyStore(join(dataDir, "keys.json")));
  await seed(platform.operations, { vaults, items });
  await storage.close();

  const next = createDeletionRequests(items, token);
  const first = next();
  const port = await freePort();
  const app = await startApp([], port, () => first, {
    DATA_DIR: dataDir,
    DEMO: "off",
    RATE_LIMITS: "off",
    ISSUER: names.issuer,
    AUDIENCE: names.audience,
    BROKER_AUDIENCE: names.brokerAudience,
    STORAGE_THREAD: "on",
    WORKERS: String(workers),
  });
  stack.defer(app.stop);

  return async () => {
    let before: ReadonlyMap<string, number> = new Map();
    const { seconds } = await runLoad(port, { connections, requests, next }, async () => {
      before = readThreadTimes(app.pid);
    });
    const after = readThreadTimes(app.pid);
    const cpu = (thread: string) => ((after.get(thread) ?? 0) - (before.get(thread) ?? 0)) / requests;
    const main = cpu("MainThread");
    // With one worker, the main thread serves HTTP.
    const http = workers === 1 ? main : cpu("http");
    return { rate: requests / seconds, http, storage: cpu("storage"), main: workers === 1 ? 0 : main };
  };
}

/** The clock ticks per second, the unit in which Linux reports CPU times. */
const ticksPerSecond = 100;

/** Returns the CPU time of each thread of a process, user and system, in microseconds, summed by the names of the threads. */
function readThreadTimes(pid: number): ReadonlyMap<string, number> {
  const folder = `/proc/${pid}/task`;
  const times = new Map<string, number>();
  for (const thread of readdirSync(folder)) {
    const name = readFileSync(`${folder}/${thread}/comm`, "utf8").trim();
    const stat = readFileSync(`${folder}/${thread}/stat`, "utf8");
    // The fields after the name, which is in parentheses: see proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    times.set(name, (times.get(name) ?? 0) + (ticks / ticksPerSecond) * 1e6);
  }
  return times;
}
