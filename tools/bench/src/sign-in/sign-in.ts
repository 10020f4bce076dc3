import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseRecoveryCode } from "@platform-rpc/accounts/keys/recovery-code";
import { deriveRecoveryKeys, signRecoveryChallenge } from "@platform-rpc/accounts/keys/recovery-keys";
import { adminOf, type RunningApp, startApp } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import type { NextRequest } from "../load/load.ts";
import { onFirstCore } from "../load/pinning.ts";
import { cpuMicrosOf } from "../load/process-cpu.ts";
import { interleave } from "../load/rounds.ts";
import { measureLoad, startTarget, type Target } from "../load/target.ts";
import { type BenchResult, type Effort, withDigits, withSpread } from "../report/format.ts";
import {
  type AuthorizationServer,
  member,
  postRequest,
  prepareExchanges,
  prepareRefreshes,
  requireSameGrants,
  scope,
} from "./token-requests.ts";

const efforts = {
  full: { warmUpRounds: 3, rounds: 9, requests: 1_500 },
  short: { warmUpRounds: 1, rounds: 3, requests: 600 },
} as const;
const connections = 64;

/** Runs `pnpm bench sign-in`: how many logins the built app and node-oidc-provider serve on one core. */
export async function benchSignIn(effort: Effort): Promise<BenchResult> {
  const { warmUpRounds, rounds, requests } = efforts[effort];
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const dataDir = join(folder.path, "data");
  const settings = { DATA_DIR: dataDir, DEMO: "on", RATE_LIMITS: "off" };
  const app = stack.use(await startApp(settings, { under: onFirstCore, stderr: "ignore" }));
  const own = serverOf(app, dataDir);
  const target = await startTarget(new URL("./oidc-target.ts", import.meta.url));
  stack.defer(target.stop);
  const peer = peerOf(target);
  await requireSameGrants([own, peer]);

  /** Returns a function that measures one round, whose requests are prepared before its time begins. */
  const measureOf =
    ({ url, cpuMicros }: AuthorizationServer, prepare: () => Promise<NextRequest>) =>
    async () => {
      const next = await prepare();
      return measureLoad(Number(new URL(url).port), { connections, requests, next }, cpuMicros);
    };
  const exchanges = (server: AuthorizationServer) =>
    measureOf(server, () => prepareExchanges(server, requests + connections));
  const refreshes = (server: AuthorizationServer) => measureOf(server, () => prepareRefreshes(server, connections));
  const signInRequests = await prepareSignIns(app.pagesUrl, dataDir);
  const signIns = measureOf(own, async () => signInRequests);
  const candidates = [
    ["exchange", exchanges(own)],
    ["exchange of peer", exchanges(peer)],
    ["refresh", refreshes(own)],
    ["refresh of peer", refreshes(peer)],
    [
      "signIn",
      async () => {
        const { rate, cpu, ...latencies } = await signIns();
        return { rate: rate / 2, cpu: cpu * 2, ...latencies };
      },
    ],
  ] as const;
  await interleave(candidates, warmUpRounds);
  const measured = await interleave(candidates, rounds);

  const row = (title: string, { title: server }: AuthorizationServer, name: (typeof candidates)[number][0]) => [
    title,
    server,
    withSpread(measured.summary(name, "rate"), 0),
    withSpread(measured.summary(name, "cpu"), 0),
    withSpread(measured.summary(name, "p50"), 1),
    withSpread(measured.summary(name, "p99"), 1),
  ];
  const exchange = "exchange of an approved device code";
  const refresh = "refresh of tokens";
  return {
    title: "Logins on one core",
    method: `The built platform app, and node-oidc-provider, each on one core, with the same requests for the same two grants at their token endpoints. Both sign JWT access tokens with Ed25519, and replace each refresh token. The app sends a response once its tokens and its audit record are on disk, in SQLite, which its writer's thread does on the same core; it writes a log line for each request, and has no rate limits. node-oidc-provider has its adapter in memory, which loses everything with the process, and writes no log. A sign-in with a recovery code is two requests, and node-oidc-provider has none. ${connections} connections, and ${withDigits(requests, 0)} requests in each of ${rounds} rounds after ${warmUpRounds} to warm up; each refresh sends the newest refresh token of its connection. The latencies are those of one request.`,
    columns: ["login", "server", "per second", "CPU µs", "p50 ms", "p99 ms"],
    rows: [
      row(exchange, own, "exchange"),
      row(exchange, peer, "exchange of peer"),
      row(refresh, own, "refresh"),
      row(refresh, peer, "refresh of peer"),
      row("sign-in with a recovery code", own, "signIn"),
    ],
    measured: [
      ["exchangeRate", measured.summary("exchange", "rate")],
      ["exchangeP99", measured.summary("exchange", "p99")],
      ["exchangeToPeer", measured.ratio("cpu", "exchange of peer", "exchange")],
      ["refreshRate", measured.summary("refresh", "rate")],
      ["refreshP99", measured.summary("refresh", "p99")],
      ["refreshToPeer", measured.ratio("cpu", "refresh of peer", "refresh")],
      ["signInRate", measured.summary("signIn", "rate")],
      ["signInP99", measured.summary("signIn", "p99")],
    ],
  };
}

function serverOf({ internalUrl, accountsUrl, pid }: RunningApp, dataDir: string): AuthorizationServer {
  const admin = adminOf(internalUrl, join(dataDir, "admin.token"));
  return {
    title: "the platform app, on disk",
    url: accountsUrl,
    async approve(userCode) {
      const person = { tenantId: "demo", principalId: "demo-user" };
      await admin("DeviceAuthorizationService/ApproveDeviceAuthorization", { ...person, userCode, scopes: [scope] });
    },
    cpuMicros: () => cpuMicrosOf(pid),
  };
}

function peerOf({ port, cpuMicros }: Target): AuthorizationServer {
  return {
    title: "node-oidc-provider, in memory",
    url: `http://127.0.0.1:${port}`,
    // It approves each device authorization when it starts.
    approve: async () => {},
    cpuMicros,
  };
}

/** Returns a function that signs the person of the demo in: it begins, signs the challenge, finishes, and begins again. */
async function prepareSignIns(pagesUrl: string, dataDir: string): Promise<NextRequest> {
  const parsed = parseRecoveryCode(readFileSync(join(dataDir, "demo/recovery-code.txt"), "utf8").trim());
  if (!parsed.ok) throw new Error(parsed.message);
  const { locator, signInKey } = await deriveRecoveryKeys(parsed.code);
  const { origin } = new URL(pagesUrl);
  // Browsers that have signed in before. More than the connections, so that few sign-ins at the same time are in the same browser.
  let sent = 0;
  const device = () => `__Host-device=bench-${sent++ % 90}`;
  const send = (step: "begin" | "finish", message: object, ...cookies: readonly string[]) =>
    postRequest({
      url: pagesUrl,
      path: `/account/api/sign-in/${step}`,
      contentType: "application/json",
      body: JSON.stringify(message),
      more: [`Origin: ${origin}`, `Cookie: ${[device(), ...cookies].join("; ")}`],
    });
  return async (previous) => {
    const response = String(previous ?? "");
    const cookie = /\r\nset-cookie: ([^;]*ceremony=[^;]+)/i.exec(response)?.[1];
    if (cookie === undefined || !response.includes('"challenge"')) return send("begin", { again: false });
    const signed = { origin, challenge: member(response, "challenge") };
    const signature = await signRecoveryChallenge(signInKey, signed);
    return send("finish", { how: "recovery code", locator, signature }, cookie);
  };
}
