import { startTarget } from "../load/target.ts";
import { interleave } from "../measure/interleave.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult, Effort } from "../report/result.ts";
import { type ClientName, clientNames, clients } from "./clients.ts";

/** Calls in one round, and how many rounds. */
const efforts = {
  full: { warmUpRounds: 8, rounds: 25, calls: 2000 },
  short: { warmUpRounds: 8, rounds: 15, calls: 500 },
} as const;
const concurrency = 16;

/** Runs `pnpm bench client`: compares both entries of our client with plain `fetch` and a stock Connect client. */
export async function benchClient(effort: Effort): Promise<BenchResult> {
  const { warmUpRounds, rounds, calls } = efforts[effort];
  await using stack = new AsyncDisposableStack();
  const server = await startTarget(new URL("../http/http-target.ts", import.meta.url), ["bare"], "load");
  stack.defer(server.stop);
  const start = async (name: ClientName) => {
    const args = [name, `http://127.0.0.1:${server.port}`, String(calls), String(concurrency)];
    const client = await startTarget(new URL("./client-target.ts", import.meta.url), args);
    stack.defer(client.stop);
    return async () => {
      const before = await client.cpuMicros();
      const milliseconds = await client.ask("measure");
      return { rate: (calls / milliseconds) * 1000, cpu: ((await client.cpuMicros()) - before) / calls };
    };
  };
  const candidates = [];
  for (const name of clientNames) candidates.push([name, await start(name)] as const);
  await interleave(candidates, warmUpRounds);
  const measured = await interleave(candidates, rounds);

  return {
    title: "Clients",
    method: `DeleteItem, ${concurrency} calls at a time, on the bare node:http server. Each client runs in its own process and makes ${withDigits(calls, 0)} calls in each of ${rounds} rounds, after ${warmUpRounds} rounds to warm up.`,
    columns: ["client", "calls/s", "CPU µs per call"],
    rows: clientNames.map((name) => [
      clients[name].title,
      withSpread(measured.summary(name, "rate"), 0),
      withSpread(measured.summary(name, "cpu"), 1),
    ]),
    measured: [
      ["clientJson", measured.ratio("cpu", "json", "fetch")],
      ["clientConnect", measured.ratio("cpu", "connect", "stock")],
    ],
    chart: {
      title: "CPU time of clients per call, µs (less is better)",
      bars: clientNames.map((name) => ({ ...clients[name], value: measured.summary(name, "cpu") })),
    },
  };
}
