import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startApp } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { type NextRequest, runLoad } from "../load/load.ts";
import { onFirstCore } from "../load/pinning.ts";
import { interleave } from "../measure/interleave.ts";
import { quantile } from "../measure/statistics.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { type DemoApp, prepareExchanges, prepareRefreshes, prepareSignIns } from "./sign-in-requests.ts";

const connections = 64;
const rounds = 5;
const requests = 1_500;
/** A sign-in is two requests. */
const requestsOf = { exchange: 1, refresh: 1, signIn: 2 } as const;

/** Runs `pnpm bench sign-in`: how many logins the built app serves on one core. Each response is sent once it is on disk. */
export async function benchSignIn(): Promise<BenchResult> {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const dataDir = join(folder.path, "data");
  const settings = { DATA_DIR: dataDir, DEMO: "on", RATE_LIMITS: "off" };
  const demo: DemoApp = { app: stack.use(await startApp(settings, { under: onFirstCore, stderr: "ignore" })), dataDir };

  const exchanges = await prepareExchanges(demo, (rounds + 1) * (requests + connections));
  const signIns = await prepareSignIns(demo);
  const candidates = [
    ["exchange", measureOf(demo, demo.app.publicUrl, "exchange", async () => exchanges)],
    ["refresh", measureOf(demo, demo.app.accountsUrl, "refresh", () => prepareRefreshes(demo, connections))],
    ["signIn", measureOf(demo, demo.app.accountsUrl, "signIn", async () => signIns)],
  ] as const;
  for (const [, measure] of candidates) await measure();
  const measured = await interleave(candidates, rounds);

  const row = (name: keyof typeof requestsOf, title: string) => [
    title,
    withSpread(measured.summary(name, "rate"), 0),
    withSpread(measured.summary(name, "cpu"), 0),
    withSpread(measured.summary(name, "p50"), 1),
    withSpread(measured.summary(name, "p99"), 1),
  ];
  return {
    title: "Logins on one core",
    method: `The built reference app with SQLite, on one core with its writer's thread, without rate limits. Over ${connections} connections, ${withDigits(requests, 0)} requests in each of ${rounds} rounds after one to warm up: exchanges of approved device codes, refreshes with the newest refresh token of each connection, and sign-ins with a recovery code, which are two requests. The latencies are those of one request.`,
    columns: ["login", "per second", "CPU µs", "p50 ms", "p99 ms"],
    rows: [
      row("exchange", "exchange of an approved device code"),
      row("refresh", "refresh of tokens"),
      row("signIn", "sign-in with a recovery code"),
    ],
    measured: [
      ["exchangeRate", measured.summary("exchange", "rate")],
      ["exchangeP99", measured.summary("exchange", "p99")],
      ["refreshRate", measured.summary("refresh", "rate")],
      ["refreshP99", measured.summary("refresh", "p99")],
      ["signInRate", measured.summary("signIn", "rate")],
      ["signInP99", measured.summary("signIn", "p99")],
    ],
  };
}

/** Returns a function that measures one round. Each round prepares its requests before its time begins. */
function measureOf(
  { app: { pid } }: DemoApp,
  url: string,
  name: keyof typeof requestsOf,
  prepare: () => Promise<NextRequest>,
) {
  const port = Number(new URL(url).port);
  const logins = requests / requestsOf[name];
  return async () => {
    const load = { connections, requests, next: await prepare() };
    let before = 0;
    const { seconds, latencies } = await runLoad(port, load, async () => {
      before = cpuMicros(pid);
    });
    return {
      rate: logins / seconds,
      cpu: (cpuMicros(pid) - before) / logins,
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
