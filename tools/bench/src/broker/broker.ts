import { requestOf } from "../load/connection.ts";
import { cpuMicrosOf } from "../load/process-cpu.ts";
import { interleave } from "../load/rounds.ts";
import { measureLoad, startTarget } from "../load/target.ts";
import { type BenchResult, type Effort, withDigits, withSpread } from "../report/format.ts";
import { startBroker } from "./start-broker.ts";

const efforts = {
  full: { warmUpRounds: 3, rounds: 9, single: 500, requests: 2_000 },
  short: { warmUpRounds: 1, rounds: 3, single: 200, requests: 1_000 },
} as const;
const connections = 32;

const secret = "bench-3f9d4c61a7e84b0c9f25d1ab";
const message = { model: "model-1", messages: [{ role: "user", content: "A question to an API. ".repeat(42) }] };

/** Runs `pnpm bench broker`: what the broker adds to a request of an agent, and how many it sends on one core. */
export async function benchBroker(effort: Effort): Promise<BenchResult> {
  const { warmUpRounds, rounds, single, requests } = efforts[effort];
  await using stack = new AsyncDisposableStack();
  const upstream = await startTarget(new URL("./upstream-target.ts", import.meta.url), [secret], "load");
  stack.defer(upstream.stop);
  const host = `127.0.0.1:${upstream.port}`;
  const proxy = await startTarget(new URL("./proxy-target.ts", import.meta.url), [String(upstream.port), secret]);
  stack.defer(proxy.stop);
  const { port, broker, platform, token } = stack.use(await startBroker(host, secret));
  const request = requestOf(`/${host}/v1/answers`, message, token);

  /** The load sleeps while it waits: it shares its cores with the platform and the upstream. */
  const load = { next: () => request, sleeps: true };
  const measureOf = (port: number, cpuMicros: () => Promise<number>) => async () => {
    const { p50 } = await measureLoad(port, { ...load, connections: 1, requests: single }, cpuMicros);
    const before = await cpuMicrosOf(platform.pid);
    const { rate, cpu, p50: busyP50, p99 } = await measureLoad(port, { ...load, connections, requests }, cpuMicros);
    const platformCpu = ((await cpuMicrosOf(platform.pid)) - before) / (requests + connections);
    return { p50, rate, cpu, busyP50, p99, perCore: 1e6 / cpu, platformCpu };
  };
  const candidates = [
    ["broker", measureOf(port, () => cpuMicrosOf(broker.pid))],
    ["proxy", measureOf(proxy.port, proxy.cpuMicros)],
  ] as const;
  await interleave(candidates, warmUpRounds);
  const measured = await interleave(candidates, rounds);

  const row = (title: string, name: (typeof candidates)[number][0]) => [
    title,
    withSpread(measured.summary(name, "p50"), 2),
    withSpread(measured.summary(name, "rate"), 0),
    withSpread(measured.summary(name, "busyP50"), 1),
    withSpread(measured.summary(name, "p99"), 1),
    withSpread(measured.summary(name, "cpu"), 0),
    name === "broker" ? withSpread(measured.summary(name, "platformCpu"), 0) : "",
  ];
  return {
    title: "The broker of agents",
    method: `Requests of an agent with 1 kB of JSON to an API on this machine, which answers with 1 kB. The built broker, alone on its core, counts each use at the built platform, puts a secret in, and masks it in the answer; before it sends, the use is on the disk of both. For comparison, a proxy on bare node:http that only reads each body and sends it on, on the same core. The platform, with SQLite, a log and no rate limits, shares the other cores with the API and the load. The token is a bearer token. Each of ${rounds} rounds after ${warmUpRounds} to warm up has ${withDigits(single, 0)} requests on one connection, for the first column, and then ${withDigits(requests, 0)} on ${connections}. How many requests one core of the broker serves is one second divided by its CPU time per request: with two cores, the platform is the slower part.`,
    columns: ["server", "p50 ms, 1 connection", "requests/s", "p50 ms", "p99 ms", "CPU µs", "CPU µs of the platform"],
    rows: [row("the broker", "broker"), row("a proxy on bare node:http", "proxy")],
    measured: [
      ["brokerAdded", measured.difference("p50", "broker", "proxy")],
      ["brokerPerCore", measured.summary("broker", "perCore")],
      ["brokerRate", measured.ratio("rate", "broker", "proxy")],
    ],
  };
}
