import { interleave } from "../load/rounds.ts";
import { startTarget } from "../load/target.ts";
import { type BenchResult, withDigits, withSpread } from "../report/format.ts";
import { createDeletionRequests, vaults } from "./deletions.ts";

const rounds = 11;
const requests = 6000;
/** The stock server gets a sixth of the requests, because the same number would take it many times as long. */
const stockShare = 1 / 6;
const connections = 64;

const hosts = {
  listener: "our listener, commits in batches",
  delegated: "the same, all deletions of one delegation",
  stock: "stock Connect, one commit for each deletion",
} as const;

export async function benchDelete(): Promise<BenchResult> {
  const ofStock = requests * stockShare;
  const items = (rounds + 1) * (requests + connections);
  await using stack = new AsyncDisposableStack();
  const start = async (host: keyof typeof hosts) => {
    const target = await startTarget(new URL("./delete-target.ts", import.meta.url), [
      host,
      String(vaults),
      String(items),
    ]);
    stack.defer(target.stop);
    const next = createDeletionRequests(items, target.token);
    return async (requests: number) => {
      await target.ask("readDatabase");
      return target.measure({ connections, requests, next });
    };
  };
  const listener = await start("listener");
  const delegated = await start("delegated");
  const stock = await start("stock");

  await listener(requests);
  await delegated(requests);
  await stock(ofStock);
  const measured = await interleave(
    [
      ["listener", () => listener(requests)],
      ["delegated", () => delegated(requests)],
      ["stock", () => stock(ofStock)],
    ] as const,
    rounds,
  );

  return {
    title: "Durable deletions over HTTP",
    method: `Each response is sent after its deletion is on disk, in SQLite. Before each round, the database file is read, so that it is in the system's cache. ${withDigits(items, 0)} items in 100 vaults, ${connections} connections, ${rounds} rounds after one to warm up. In each round, our listener deletes ${withDigits(requests, 0)} items, then another process of it as many with a token of a delegation, which counts them, and the slower stock server ${withDigits(ofStock, 0)}.`,
    columns: ["server", "deletions/s", "CPU µs per deletion", "p50 ms", "p99 ms"],
    rows: (["listener", "delegated", "stock"] as const).map((host) => [
      hosts[host],
      withSpread(measured.summary(host, "rate"), 0),
      withSpread(measured.summary(host, "cpu"), 1),
      withSpread(measured.summary(host, "p50"), 1),
      withSpread(measured.summary(host, "p99"), 1),
    ]),
    measured: [
      ["deleteRate", measured.ratio("rate", "listener", "stock")],
      ["deleteCpu", measured.ratio("cpu", "stock", "listener")],
      ["deleteP99", measured.summary("listener", "p99")],
      ["deleteDelegated", measured.ratio("cpu", "delegated", "listener")],
    ],
    chart: {
      title: "Durable deletions per second (more is better)",
      bars: (["listener", "stock"] as const).map((host) => ({
        title: hosts[host],
        value: measured.summary(host, "rate"),
        own: host === "listener",
      })),
    },
  };
}
