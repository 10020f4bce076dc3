import { interleave } from "../load/rounds.ts";
import { startTarget, type Target } from "../load/target.ts";
import { type BenchResult, withDigits, withSpread } from "../report/format.ts";
import { type ReadName, requestsOf } from "./read-requests.ts";

const connections = 64;
const reads = [
  ["retry", "retryToBare", "an exact retry of a deletion", 1],
  ["getItem", "getItem", "GetItem", 1],
  ["listFew", "listFew", "ListChanges, 5 changes", 2],
  ["listMany", "listMany", "ListChanges, 50 changes", 10],
] as const;

const warmUp = 20_000;
const rounds = 15;
/** In one round. */
const requests = 5_000;

/** Runs `pnpm bench reads`: compares calls that write nothing with bare node:http, which sends the same JSON. */
export async function benchReads(): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const start = async (url: string, name: string) => {
    const target = await startTarget(new URL(url, import.meta.url), [name]);
    stack.defer(target.stop);
    return target;
  };
  const bare = await start("./reads-target.ts", "bare");
  const retries = await start("../http/http-target.ts", "retry");
  const members = await start("./reads-target.ts", "members");

  const candidates = reads.flatMap(([read, , , size]) => {
    const own = read === "retry" ? retries : members;
    const token = own.token;
    return [
      [`${read} bare`, measureOf(bare, read, token, size)],
      [`${read} own`, measureOf(own, read, token, size)],
    ] as const;
  });
  for (const [, measure] of candidates) await measure(warmUp);
  const measured = await interleave(
    candidates.map(([name, measure]) => [name, () => measure(requests)] as const),
    rounds,
  );
  return {
    title: "Calls that write nothing",
    method: `A retry of DeleteItem, and GetItem and ListChanges as a member, with items of 1.3 kB in SQLite, over ${connections} connections. Our listeners have everything on; bare node:http serializes the same JSON. After a warm-up, ${withDigits(requests, 0)} requests in each of ${rounds} rounds, and fewer for lists.`,
    columns: ["call", "CPU µs, bare node:http", "CPU µs, ours"],
    rows: reads.map(([read, , title]) => [
      title,
      withSpread(measured.summary(`${read} bare`, "cpu"), 1),
      withSpread(measured.summary(`${read} own`, "cpu"), 1),
    ]),
    measured: reads.map(([read, id]) => [id, measured.ratio("cpu", `${read} bare`, `${read} own`)]),
  };
}

/** Returns a function that measures some requests of a read; `size` says how many times longer one takes. */
function measureOf(target: Target, read: ReadName, token: string, size: number) {
  const prepared = requestsOf(read, token);
  let sent = 0;
  return (requests: number) =>
    target.measure({
      connections,
      requests: requests / size,
      next: () => prepared[sent++ % prepared.length] ?? Buffer.alloc(0),
    });
}
