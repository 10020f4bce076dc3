import { createDeletionRequests } from "../delete/deletions.ts";
import { sizes } from "../delete/growth.ts";
import { startTarget } from "../load/target.ts";
import { interleave } from "../measure/interleave.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { startDatabases } from "./databases.ts";

const rounds = 24;
/** Enough for each process of PostgreSQL to access most pages of the large database once, which costs more than later accesses. */
const warmUpRounds = 12;
const connections = 64;
/** In one round, with the first request of each connection. As many as the small database has items. */
const deletions = sizes.small.items;

/** Runs `pnpm bench growth-postgres`: whether durable deletions on PostgreSQL cost more as the database grows. */
export async function benchPostgresGrowth(): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const databases = await startDatabases();
  stack.defer(databases.stop);
  const start = async (name: keyof typeof sizes) => {
    const { vaults, items } = sizes[name];
    const args = [await databases.create(name), vaults, items, (warmUpRounds + rounds) * deletions].map(String);
    const target = await startTarget(new URL("./growth-target.ts", import.meta.url), args, "anywhere");
    stack.defer(target.stop);
    const next = createDeletionRequests(items, target.token, { inVaults: vaults });
    const load = { connections, requests: deletions - connections, next, sleeps: true };
    return async () => {
      const measured = await databases.withCpu(deletions, () => target.measure(load));
      await target.ask("restore");
      return { ...measured, cost: measured.cpu + measured.database };
    };
  };
  const candidates = [["small", await start("small")] as const, ["large", await start("large")] as const];
  await interleave(candidates, warmUpRounds);
  const measured = await interleave(candidates, rounds);

  return {
    title: "Durable deletions in a growing database on PostgreSQL",
    method: `Over HTTP, as in the benchmark on PostgreSQL above, in a database of 1 000 items in 100 vaults and in one of 1 000 000 items in 100 000 vaults, on one server whose buffers hold both. In each of ${rounds} rounds, after ${warmUpRounds} to warm up, 1 000 items are deleted and then restored. Each round deletes other items of the large database, whose keys and rows are far apart. The items that are never deleted were copied by SQL.`,
    columns: ["items", "vaults", "deletions/s", "CPU µs per deletion: server", "PostgreSQL", "both", "p99 ms"],
    rows: (["small", "large"] as const).map((name) => [
      withDigits(sizes[name].items, 0),
      withDigits(sizes[name].vaults, 0),
      withSpread(measured.summary(name, "rate"), 0),
      withSpread(measured.summary(name, "cpu"), 1),
      withSpread(measured.summary(name, "database"), 1),
      withSpread(measured.summary(name, "cost"), 1),
      withSpread(measured.summary(name, "p99"), 1),
    ]),
    measured: [["postgresGrowth", measured.ratio("cost", "large", "small")]],
  };
}
