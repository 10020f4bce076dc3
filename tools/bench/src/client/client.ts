import { interleave, type Measure } from "../load/rounds.ts";
import { startTarget, type Target } from "../load/target.ts";
import { type BenchResult, type Effort, withDigits, withSpread } from "../report/format.ts";
import { type ClientName, clientNames, clients } from "./clients.ts";

/** Calls in one round, how many rounds each process makes, also before they count, and how many rounds count. */
const efforts = {
  full: { calls: 1000, warmUpRounds: 12, roundsOfProcess: 5, rounds: 40 },
  short: { calls: 500, warmUpRounds: 8, roundsOfProcess: 5, rounds: 15 },
} as const;
const concurrency = 16;

/** Runs `pnpm bench client`: compares both entries of our client with plain `fetch` and a stock Connect client. */
export async function benchClient(effort: Effort): Promise<BenchResult> {
  const { calls, warmUpRounds, roundsOfProcess, rounds } = efforts[effort];
  await using stack = new AsyncDisposableStack();
  const server = await startTarget(new URL("../http/http-target.ts", import.meta.url), ["bare"], "load");
  stack.defer(server.stop);
  const candidate = (name: ClientName): Measure<"rate" | "cpu"> => {
    const args = [name, `http://127.0.0.1:${server.port}`, String(calls), String(concurrency)];
    let client: Target | undefined;
    stack.defer(async () => client?.stop());
    return async (round) => {
      // A process keeps what its compiler decided in the first calls, so one process alone can be 10 % faster than the next.
      if (client === undefined || round % roundsOfProcess === 0) {
        await client?.stop();
        client = await startTarget(new URL("./client-target.ts", import.meta.url), args);
        for (let warmUp = 0; warmUp < warmUpRounds; warmUp += 1) await client.ask("measure");
      }
      const before = await client.cpuMicros();
      const milliseconds = await client.ask("measure");
      return { rate: (calls / milliseconds) * 1000, cpu: ((await client.cpuMicros()) - before) / calls };
    };
  };
  const measured = await interleave(
    clientNames.map((name) => [name, candidate(name)] as const),
    rounds,
  );

  return {
    title: "Clients",
    method: `DeleteItem, ${concurrency} calls at a time, on the bare node:http server. Each client runs in ${rounds / roundsOfProcess} processes, one after the other. Each process makes ${withDigits(calls, 0)} calls in each of ${roundsOfProcess} rounds, after ${warmUpRounds} rounds to warm up.`,
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
