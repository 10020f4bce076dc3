import { createDeletionRequests } from "../delete/deletions.ts";
import { type Measured, startTarget, type Target } from "../load/target.ts";
import { interleave } from "../measure/interleave.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult, Effort } from "../report/result.ts";
import { type MeasuredWithDatabase, startDatabases } from "./databases.ts";

/** Requests for our listener in one round, and how many rounds. */
const efforts = { full: { rounds: 11, requests: 4000 }, short: { rounds: 5, requests: 1000 } } as const;
/** The stock server gets a quarter of the requests, because the same number would take it several times as long. */
const stockShare = 1 / 4;
const connections = 64;
const processes = 4;

const servers = {
  many: "our listener, 100 vaults",
  stockMany: "stock Connect, one statement for each deletion, 100 vaults",
  hot: "our listener, one vault",
  stockHot: "stock Connect, one statement for each deletion, one vault",
  fleet: `our listener in ${processes} processes, one vault`,
} as const;

/** Runs `pnpm bench postgres`: durable deletions over HTTP on PostgreSQL. */
export async function benchPostgres(effort: Effort): Promise<BenchResult> {
  const { rounds, requests } = efforts[effort];
  const ofStock = requests * stockShare;
  const items = (rounds + 1) * (requests + connections * processes);
  await using stack = new AsyncDisposableStack();
  const databases = await startDatabases();
  stack.defer(databases.stop);

  const start = async (host: "listener" | "stock", url: string, vaults: number, seeds: boolean) => {
    const args = [host, url, String(vaults), String(items), ...(seeds ? ["seed"] : [])];
    const target = await startTarget(new URL("./postgres-target.ts", import.meta.url), args, "anywhere");
    stack.defer(target.stop);
    return target;
  };
  const open = async (host: "listener" | "stock", database: string, vaults: number) => {
    const target = await start(host, await databases.create(database), vaults, true);
    const next = createDeletionRequests(items, target.token, { inVaults: vaults });
    const count = host === "stock" ? ofStock : requests;
    const load = { connections, requests: count, next, sleeps: true };
    return () => databases.withCpu(count + connections, () => target.measure(load));
  };

  const candidates = [
    ["many", await open("listener", "many", 100)],
    ["stockMany", await open("stock", "stock_many", 100)],
    ["hot", await open("listener", "hot", 1)],
    ["stockHot", await open("stock", "stock_hot", 1)],
    ["fleet", await openFleet()],
  ] as const;
  await interleave(candidates, 1);
  const measured = await interleave(candidates, rounds);

  /** Several processes on one database, each with its part of the connections and of the items. */
  async function openFleet(): Promise<() => Promise<MeasuredWithDatabase>> {
    const url = await databases.create("fleet");
    const targets: Target[] = [];
    for (let index = 0; index < processes; index += 1) targets.push(await start("listener", url, 1, index === 0));
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
    method: `Each response is sent after its deletion is on disk, in PostgreSQL 18 on the same machine, whose buffers hold the databases. Servers, PostgreSQL and the load share all cores, so the load sleeps while it waits. ${connections} connections, ${rounds} rounds after one to warm up. In each round, our listener deletes ${withDigits(requests, 0)} items, and the slower stock server ${withDigits(ofStock, 0)}. The stock server checks and logs as in the other benchmarks; its statement is prepared, and does in one step what a deletion does, including the history and the audit record. The CPU time of PostgreSQL is that of all its processes (Linux only). The rate of several processes is that of the slowest, times their number.`,
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
      ["postgresMany", measured.ratio("rate", "many", "stockMany")],
      ["postgresHot", measured.ratio("rate", "hot", "stockHot")],
      ["postgresFleet", measured.ratio("rate", "fleet", "hot")],
      ["postgresP99", measured.summary("many", "p99")],
    ],
    chart: {
      title: "Durable deletions per second on PostgreSQL (more is better)",
      bars: candidates.map(([name]) => ({
        title: servers[name],
        value: measured.summary(name, "rate"),
        own: !name.startsWith("stock"),
      })),
    },
  };
}
