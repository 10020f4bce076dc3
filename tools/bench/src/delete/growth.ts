import { interleave } from "../load/rounds.ts";
import { startTarget } from "../load/target.ts";
import type { Size } from "../platform/bench-platform.ts";
import { type BenchResult, withDigits, withSpread } from "../report/format.ts";
import { createDeletionRequests } from "./deletions.ts";

/** The sizes of a small database, and of one with more items, then also with more vaults. */
const sizes = {
  small: { vaults: 100, items: 1_000 },
  items: { vaults: 100, items: 1_000_000 },
  large: { vaults: 100_000, items: 1_000_000 },
} as const;
const names = ["small", "items", "large"] as const;
const rounds = 40;
const warmUpRounds = 10;
const connections = 64;
/** In one round, with the first request of each connection. As many as the small database has items. */
const deletions = sizes.small.items;

/** Runs `pnpm bench growth`: whether durable deletions become slower as the database grows. */
export async function benchGrowth(): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const start = async ({ vaults, items }: Size) => {
    const args = ["listener", String(vaults), String(items)];
    const target = await startTarget(new URL("./delete-target.ts", import.meta.url), args);
    stack.defer(target.stop);
    const next = createDeletionRequests(items, target.token, { inVaults: vaults });
    return async () => {
      await target.ask("readDatabase");
      const measured = await target.measure({ requests: deletions - connections, connections, next });
      // It has no other items to delete. Restoring writes more than deleting does, and its checkpoints would delay the next round.
      if (items === deletions) await target.ask("restore");
      return measured;
    };
  };
  const candidates: [(typeof names)[number], Awaited<ReturnType<typeof start>>][] = [];
  for (const name of names) candidates.push([name, await start(sizes[name])]);
  await interleave(candidates, warmUpRounds);
  const measured = await interleave(candidates, rounds);

  return {
    title: "Durable deletions in a growing database",
    method: `As above, with 1 000 and with 1 000 000 items in 100 vaults, and with 1 000 000 items in 100 000 vaults. In each of ${rounds} rounds, after ${warmUpRounds} to warm up, 1 000 items are deleted. In the small database they are then restored, because it has no others. Successive deletions are far apart.`,
    columns: ["items", "vaults", "deletions/s", "CPU µs per deletion", "p99 ms"],
    rows: names.map((name) => [
      withDigits(sizes[name].items, 0),
      withDigits(sizes[name].vaults, 0),
      withSpread(measured.summary(name, "rate"), 0),
      withSpread(measured.summary(name, "cpu"), 1),
      withSpread(measured.summary(name, "p99"), 1),
    ]),
    measured: [
      ["growthRate", measured.ratio("rate", "items", "small")],
      ["growthCpu", measured.ratio("cpu", "large", "small")],
    ],
  };
}
