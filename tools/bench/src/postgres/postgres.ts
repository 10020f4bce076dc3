import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "@platform-rpc/testbed/postgres";
import pg from "pg";
import { createDeletionRequests } from "../delete/deletions.ts";
import { onAllCores } from "../load/pinning.ts";
import { interleave } from "../load/rounds.ts";
import { type Measured, startTarget, type Target } from "../load/target.ts";
import { type BenchResult, type Effort, withDigits, withSpread } from "../report/format.ts";

const efforts = { full: { rounds: 11, requests: 4000 }, short: { rounds: 5, requests: 1000 } } as const;
const connections = 64;
const processes = 4;

const servers = {
  many: "our listener, 100 vaults",
  hot: "our listener, one vault",
  fleet: `our listener in ${processes} processes, one vault`,
} as const;

export async function benchPostgres(effort: Effort): Promise<BenchResult> {
  const { rounds, requests } = efforts[effort];
  const items = (rounds + 1) * (requests + connections * processes);
  await using stack = new AsyncDisposableStack();
  const databases = await startDatabases();
  stack.defer(databases.stop);

  const start = async (url: string, vaults: number, seeds: boolean) => {
    const args = [url, String(vaults), String(items), ...(seeds ? ["seed"] : [])];
    const target = await startTarget(new URL("./postgres-target.ts", import.meta.url), args, "anywhere");
    stack.defer(target.stop);
    return target;
  };
  const open = async (database: string, vaults: number) => {
    const target = await start(await databases.create(database), vaults, true);
    const load = {
      connections,
      requests,
      next: createDeletionRequests(items, target.token, { inVaults: vaults }),
      sleeps: true,
    };
    return () => databases.withCpu(requests + connections, () => target.measure(load));
  };

  const candidates = [
    ["many", await open("many", 100)],
    ["hot", await open("hot", 1)],
    ["fleet", await openFleet()],
  ] as const;
  await interleave(candidates, 1);
  const measured = await interleave(candidates, rounds);

  /** Several processes on one database, each with its part of the connections and of the items. */
  async function openFleet(): Promise<() => Promise<MeasuredWithDatabase>> {
    const url = await databases.create("fleet");
    const targets: Target[] = [];
    for (let index = 0; index < processes; index += 1) targets.push(await start(url, 1, index === 0));
    const loads = targets.map(({ token }, first) => ({
      connections: connections / processes,
      requests: requests / processes,
      next: createDeletionRequests(items, token, { inVaults: 1, first, step: processes }),
      sleeps: true,
    }));
    const measureAll = async (): Promise<Measured> => {
      const all = await Promise.all(
        targets.flatMap((target, index) => {
          const load = loads[index];
          return load === undefined ? [] : [target.measure(load)];
        }),
      );
      const mean = (of: (one: Measured) => number) => all.reduce((sum, one) => sum + of(one), 0) / all.length;
      return {
        rate: Math.min(...all.map(({ rate }) => rate)) * processes,
        cpu: mean(({ cpu }) => cpu),
        p50: mean(({ p50 }) => p50),
        p99: Math.max(...all.map(({ p99 }) => p99)),
      };
    };
    return () => databases.withCpu(requests + connections, measureAll);
  }

  return {
    title: "Durable deletions on PostgreSQL",
    method: `Each response is sent after its deletion is on disk, in PostgreSQL 18 on the same machine, whose buffers hold the databases. Servers, PostgreSQL and the load share all cores, so the load sleeps while it waits. ${connections} connections, and ${rounds} rounds of ${withDigits(requests, 0)} deletions after one to warm up. The CPU time of PostgreSQL is that of all its processes (Linux only). The rate of several processes is that of the slowest, times their number.`,
    columns: ["server", "deletions/s", "CPU µs per deletion: server", "PostgreSQL", "p50 ms", "p99 ms"],
    rows: candidates.map(([name]) => [
      servers[name],
      withSpread(measured.summary(name, "rate"), 0),
      withSpread(measured.summary(name, "cpu"), 1),
      withSpread(measured.summary(name, "database"), 1),
      withSpread(measured.summary(name, "p50"), 1),
      withSpread(measured.summary(name, "p99"), 1),
    ]),
    measured: [
      ["postgresFleet", measured.ratio("rate", "fleet", "hot")],
      ["postgresP99", measured.summary("many", "p99")],
    ],
    chart: {
      title: "Durable deletions per second on PostgreSQL (more is better)",
      bars: candidates.map(([name]) => ({
        title: servers[name],
        value: measured.summary(name, "rate"),
        own: true,
      })),
    },
  };
}

/** What is measured. `database` is the CPU time of PostgreSQL per deletion, in microseconds. */
type MeasuredWithDatabase = Measured & { readonly database: number };

interface Databases {
  create(name: string): Promise<string>;
  withCpu(deletions: number, measure: () => Promise<Measured>): Promise<MeasuredWithDatabase>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL on all cores, which it shares with the servers and the load. Its buffers hold all databases of a benchmark. */
async function startDatabases(): Promise<Databases> {
  const postgres = await startPostgres({ under: onAllCores, settings: { shared_buffers: "2GB" } });
  return {
    async create(name) {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return postgres.urlOf(name);
    },
    async withCpu(deletions, measure) {
      const before = readServerCpu(postgres.folder);
      const measured = await measure();
      return { ...measured, database: (readServerCpu(postgres.folder) - before) / deletions };
    },
    stop: postgres.stop,
  };
}

/** The times of /proc are in these, on every Linux that Node.js runs on. */
const tickMicros = 10_000;

/** Returns the CPU time that all processes of a PostgreSQL server have used, in microseconds. NaN where there is no /proc. */
function readServerCpu(dataFolder: string): number {
  if (!existsSync("/proc")) return Number.NaN;
  const main = Number(readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n", 1)[0]);
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : undefined;
    if (times === undefined) continue;
    if (times.parent === main) ticks += times.own;
    // The processes that have ended are counted by their parent.
    if (Number(name) === main) ticks += times.own + times.ofEndedChildren;
  }
  return ticks * tickMicros;
}

/** Reads the parent of a process, and its times in ticks. Returns undefined if the process has ended. */
function readTimes(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in parentheses, which may contain spaces. These are the fields from the third on.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const sum = (first: number) => Number(fields[first]) + Number(fields[first + 1]);
    return { parent: Number(fields[1]), own: sum(11), ofEndedChildren: sum(13) };
  } catch {
    return undefined;
  }
}
