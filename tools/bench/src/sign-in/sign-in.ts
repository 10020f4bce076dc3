import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startApp } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { type NextRequest, runLoad } from "../load/load.ts";
import { onFirstCore } from "../load/pinning.ts";
import { requestOf } from "../load/request.ts";
import { startTarget, type Target } from "../load/target.ts";
import { interleave } from "../measure/interleave.ts";
import { quantile } from "../measure/statistics.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { type DemoApp, prepareExchanges, prepareRefreshes, prepareSignIns } from "./sign-in-requests.ts";

const connections = 64;
const rounds = 5;
const requests = 1_500;

/** The logins, and the paths of the bare server that do the least of each: one for each of its requests. */
const logins = {
  exchange: { title: "exchange of an approved device code", bare: ["/exchange"] },
  refresh: { title: "refresh of tokens", bare: ["/refresh"] },
  signIn: { title: "sign-in with a recovery code", bare: ["/begin", "/finish"] },
} as const;
type Login = keyof typeof logins;

/** Runs `pnpm bench sign-in`: how many logins the built app serves on one core. Each response is sent once it is on disk. */
export async function benchSignIn(): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const dataDir = join(folder.path, "data");
  const settings = { DATA_DIR: dataDir, DEMO: "on", RATE_LIMITS: "off" };
  const demo: DemoApp = { app: stack.use(await startApp(settings, { under: onFirstCore, stderr: "ignore" })), dataDir };
  const bare = await startTarget(new URL("./bare-target.ts", import.meta.url));
  stack.defer(bare.stop);

  const exchanges = await prepareExchanges(demo, (rounds + 1) * (requests + connections));
  const signIns = await prepareSignIns(demo);
  const { publicUrl, accountsUrl } = demo.app;
  const candidates = [
    ["exchange", measureOf(demo, publicUrl, "exchange", async () => exchanges)],
    ["exchange bare", measureBare(bare, "exchange")],
    ["refresh", measureOf(demo, accountsUrl, "refresh", () => prepareRefreshes(demo, connections))],
    ["refresh bare", measureBare(bare, "refresh")],
    ["signIn", measureOf(demo, accountsUrl, "signIn", async () => signIns)],
    ["signIn bare", measureBare(bare, "signIn")],
  ] as const;
  for (const [, measure] of candidates) await measure();
  const measured = await interleave(candidates, rounds);

  const row = (name: Login) => [
    logins[name].title,
    withSpread(measured.summary(name, "rate"), 0),
    withSpread(measured.summary(name, "cpu"), 0),
    withSpread(measured.summary(`${name} bare`, "cpu"), 0),
    withSpread(measured.summary(name, "p50"), 1),
    withSpread(measured.summary(name, "p99"), 1),
  ];
  return {
    title: "Logins on one core",
    method: `The built platform app with SQLite, on one core with its writer's thread, without rate limits. Over ${connections} connections, ${withDigits(requests, 0)} requests in each of ${rounds} rounds after one to warm up: exchanges of approved device codes, refreshes with the newest refresh token of each connection, and sign-ins with a recovery code, which are two requests. The latencies are those of one request. For comparison, bare node:http that does the least of each: it makes or verifies the same signatures, and writes one row for each request, in a commit that all requests of a turn of the event loop share.`,
    columns: ["login", "per second", "CPU µs", "CPU µs, bare node:http", "p50 ms", "p99 ms"],
    rows: [row("exchange"), row("refresh"), row("signIn")],
    measured: [
      ["exchangeRate", measured.summary("exchange", "rate")],
      ["exchangeP99", measured.summary("exchange", "p99")],
      ["exchangeToBare", measured.ratio("cpu", "exchange bare", "exchange")],
      ["refreshRate", measured.summary("refresh", "rate")],
      ["refreshP99", measured.summary("refresh", "p99")],
      ["refreshToBare", measured.ratio("cpu", "refresh bare", "refresh")],
      ["signInRate", measured.summary("signIn", "rate")],
      ["signInP99", measured.summary("signIn", "p99")],
      ["signInToBare", measured.ratio("cpu", "signIn bare", "signIn")],
    ],
  };
}

/** Returns a function that measures one round of the bare server. */
function measureBare(target: Target, name: Login) {
  const paths = logins[name].bare;
  const prepared = paths.map((path) => requestOf(path, { login: "l".repeat(100) }, "t".repeat(800)));
  let sent = 0;
  const next = () => prepared[sent++ % prepared.length] ?? Buffer.alloc(0);
  return async () => {
    const { rate, cpu, ...latencies } = await target.measure({ connections, requests, next });
    return { rate: rate / paths.length, cpu: cpu * paths.length, ...latencies };
  };
}

/** Returns a function that measures one round. Each round prepares its requests before its time begins. */
function measureOf({ app: { pid } }: DemoApp, url: string, name: Login, prepare: () => Promise<NextRequest>) {
  const port = Number(new URL(url).port);
  const count = requests / logins[name].bare.length;
  return async () => {
    const load = { connections, requests, next: await prepare() };
    let before = 0;
    const { seconds, latencies } = await runLoad(port, load, async () => {
      before = cpuMicros(pid);
    });
    return {
      rate: count / seconds,
      cpu: (cpuMicros(pid) - before) / count,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
    };
  };
}

/** Returns the CPU time of a process, user and system, in microseconds. Linux only: it counts in hundredths of a second. */
function cpuMicros(pid: number): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) * 10_000;
}
