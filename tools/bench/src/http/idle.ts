import { type Connection, openConnection } from "../load/connection.ts";
import { startTarget } from "../load/target.ts";
import { interleave } from "../measure/interleave.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { requestsFor, type ServerName, servers } from "./servers.ts";

const names = ["bare", "fastify", "stockPlatform", "platform"] as const;
const warmUp = 3000;
const connections = 2000;
const atOnce = 100;
const rounds = 3;
/**
 * Keeps the young generation of the heap small, which is empty after a garbage collection. V8 gives it up to 134 MB for what a busy process
 * allocates, and not for what it keeps: that was more than the connections need.
 */
const flags = ["--max-semi-space-size=1"];

/** Runs `pnpm bench idle`: the memory of an idle connection. */
export async function benchIdle(): Promise<BenchResult> {
  const measured = await interleave(
    names.map((name) => [name, () => measure(name)] as const),
    rounds,
  );
  return {
    title: "Memory of an idle connection",
    method: `The memory that ${withDigits(connections, 0)} idle connections add to the server's process (resident set after a garbage collection, with a small young generation of the heap, whose room depends on how busy the process was), divided by their number. Connections are opened ${atOnce} at a time, and each has sent one request. ${rounds} rounds, each with new processes, after ${withDigits(warmUp, 0)} requests to warm up.`,
    columns: ["server", "kB per connection"],
    rows: names.map((name) => [servers[name].title, withSpread(measured.summary(name, "kB"), 1)]),
    measured: [["idle", measured.summary("platform", "kB")]],
  };
}

async function measure(name: ServerName): Promise<Readonly<Record<"kB", number>>> {
  await using stack = new AsyncDisposableStack();
  const target = await startTarget(new URL("./http-target.ts", import.meta.url), [name], "measured", flags);
  stack.defer(target.stop);
  const [request = Buffer.alloc(0)] = requestsFor(target);
  await target.measure({ connections: 16, requests: warmUp, next: () => request });
  const before = await target.ask("memory");
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const opened: Connection[] = [];
  // In small groups: the heap would keep the size that thousands of simultaneous requests need.
  while (opened.length < connections) {
    const group = Array.from({ length: atOnce }, () => openIdle(target.port, request, reject));
    opened.push(...(await Promise.race([failed, Promise.all(group)])));
  }
  const after = await target.ask("memory");
  for (const connection of opened) connection.close();
  return { kB: (after - before) / connections / 1000 };
}

async function openIdle(port: number, request: Buffer, failed: (error: Error) => void): Promise<Connection> {
  const connection = await openConnection(port, failed);
  await new Promise((resolve) => connection.send(request, resolve));
  return connection;
}
