import { startTarget } from "../load/target.ts";
import { interleave } from "../measure/interleave.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { createDeletionRequests } from "./deletions.ts";

const sizes = { small: 1_000, large: 1_000_000 } as const;
const rounds = 40;
const warmUpRounds = 10;
const connections = 64;

/** Runs `pnpm bench growth`: whether durable deletions become slower as the database grows. */
export async function benchGrowth(): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const start = async (items: number) => {
    const target = await startTarget(new URL("./delete-target.ts", import.meta.url), ["listener", String(items)]);
    stack.defer(target.stop);
    const next = createDeletionRequests(items, target.token);
    return async () => {
      // A thousand with the first request of each connection: as many as the small database has items.
      const measured = await target.measure({ requests: sizes.small - connections, connections, next });
      await target.ask("restore");
      return measured;
    };
  };
  const candidates = [["small", await start(sizes.small)] as const, ["large", await start(sizes.large)] as const];
  await interleave(candidates, warmUpRounds);
  const measured = await interleave(candidates, rounds);

  return {
    title: "Durable deletions in a growing database",
    method: `As above, with ${withDigits(sizes.small, 0)} and with ${withDigits(sizes.large, 0)} items. In each of ${rounds} rounds, after ${warmUpRounds} to warm up, 1 000 items are deleted and then restored. Successive deletions are far apart.`,
    columns: ["items", "deletions/s", "CPU µs per deletion", "p99 ms"],
    rows: (["small", "large"] as const).map((name) => [
      withDigits(sizes[name], 0),
      withSpread(measured.summary(name, "rate"), 0),
      withSpread(measured.summary(name, "cpu"), 1),
      withSpread(measured.summary(name, "p99"), 1),
    ]),
    measured: [["growth", measured.ratio("rate", "large", "small")]],
  };
}
