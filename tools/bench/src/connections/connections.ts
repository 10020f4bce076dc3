import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { adminOf, startApp } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { type Connection, deleteItemRequest, openConnection, requestOnce } from "../load/connection.ts";
import { onFirstCore } from "../load/pinning.ts";
import { interleave, quantile, summarize } from "../load/rounds.ts";
import { inBatches, vaultName } from "../platform/bench-platform.ts";
import { fixtureItem } from "../platform/fixture.ts";
import { type BenchResult, type Effort, withDigits, withSpread } from "../report/format.ts";
import { oauthClientId, scope } from "../sign-in/token-requests.ts";

const efforts = { full: { rounds: 5, seconds: 12 }, short: { rounds: 2, seconds: 3 } } as const;
const [few, many] = [64, 2_000];
const tenantId = "demo";
const client = { oauthClientId, scopes: [scope] };
const vaults = 100;

/** Runs `pnpm bench connections`: how the built app, on one core, serves many busy connections, and new ones in between. */
export async function benchConnections(effort: Effort): Promise<BenchResult> {
  const { rounds, seconds } = efforts[effort];
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const settings = { DATA_DIR: join(folder.path, "data"), DEMO: "on", LOG_LEVEL: "info" };
  const requests = await prepareRequests(settings.DATA_DIR, 2 * many);
  const app = stack.use(await startApp(settings, { under: onFirstCore, stderr: "ignore" }));
  const urls = [app.publicUrl, app.internalUrl, app.accountsUrl, app.mcpUrl].map((url) => new URL(url));
  const port = Number(urls[0]?.port);
  const received = { answers: 0, refusals: 0, refusalsWithoutDelay: 0 };
  const requestAt = (index: number) => requests[index % requests.length] ?? Buffer.alloc(0);
  /** The milliseconds from the opening of a connection to its first response. */
  const calls: number[] = [];
  const health = urls.map(({ host, port }) => {
    return { port, check: Buffer.from(`GET /readyz HTTP/1.1\r\nHost: ${host}\r\n\r\n`), times: [] as number[] };
  });

  /** Sends a request, and counts its response. @throws Error for one that no overload explains, such as 429 for a caller beyond its rate. */
  async function call(connection: Connection, request: Buffer): Promise<void> {
    const response = await new Promise<Buffer>((resolve) => connection.send(request, resolve));
    const [head = ""] = response.toString("latin1").split("\r\n\r\n", 1);
    if (head.startsWith("HTTP/1.1 200")) received.answers += 1;
    else if (!head.startsWith("HTTP/1.1 50"))
      throw new Error(`The app rejected a call that was below its rate:\n${head}`);
    else {
      received.refusals += 1;
      if (!/\r\nretry-after: \d/i.test(head)) received.refusalsWithoutDelay += 1;
    }
  }

  async function open(to: number, request: Buffer, times: number[] = []): Promise<Connection> {
    const startedAt = performance.now();
    const connection = await openConnection(to, (error) => {
      throw error;
    });
    await call(connection, request);
    times.push(performance.now() - startedAt);
    return connection;
  }
  const connections: Connection[] = [];
  const openAll = async (first: number, end: number) => {
    connections.push(...(await Promise.all(requests.slice(first, end).map((request) => open(port, request)))));
  };
  await openAll(0, many);
  stack.defer(async () => {
    for (const connection of connections) connection.close();
  });

  /** Lets connections send requests, each at once after the response before, or at a rate. Returns the answers per second. */
  async function drive(count: number, forSeconds: number, perSecond = Number.POSITIVE_INFINITY) {
    const startedAt = performance.now();
    const before = received.answers;
    const intervalMs = (count * 1000) / perSecond;
    let next = 0;
    await Promise.all(
      connections.slice(0, count).map(async (connection, index) => {
        let due = startedAt + (index / count) * intervalMs;
        for (let now = startedAt; now < startedAt + forSeconds * 1000; now = performance.now()) {
          if (due > now) await sleep(due - now);
          due = Math.max(due + intervalMs, now);
          await call(connection, requestAt(next++));
        }
      }),
    );
    return { rate: ((received.answers - before) * 1000) / (performance.now() - startedAt) };
  }

  const peakMiB = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${app.pid}/status`, "utf8"))?.[1]) / 1024;
  let { rate: capacity } = await drive(many, 2 * seconds);
  const peakOfMany = peakMiB();
  await openAll(many, 2 * many);
  /** In between, opens a connection for a call, and one for a health check of each listener, again and again. */
  const driveMany = async () => {
    const probes: Promise<void>[] = [];
    const probe = async (...args: Parameters<typeof open>) => (await open(...args)).close();
    const timer = setInterval(() => {
      probes.push(probe(port, requestAt(probes.length), calls));
      for (const { port: to, check, times } of health) probes.push(probe(Number(to), check, times));
    }, 100);
    const { rate } = await drive(many, seconds);
    clearInterval(timer);
    await Promise.all(probes);
    capacity = rate;
    return { rate };
  };
  const measured = await interleave(
    [
      ["few", () => drive(few, seconds / 3)],
      ["many", driveMany],
      ["overload", () => drive(2 * many, seconds / 3, 2 * capacity)],
    ] as const,
    rounds,
  );
  const p99 = (times: readonly number[]) => quantile(Float64Array.from(times).sort(), 0.99);
  const healthP99 = health.map(({ times }) => p99(times));
  return {
    title: "Many busy connections",
    method: `The built app on one core, with rate limits, a log line for each request, and SQLite. ${many} connections of as many principals send exact retries of a deletion, each at once after the response before, for ${rounds} rounds of ${seconds} s. Every 100 ms a new connection is opened for a call, and one for a health check of each listener. The ${few} connections send the same requests, each of another principal than the one before. In the overload, ${2 * many} connections send twice as many requests as ${many} connections got answers.`,
    columns: ["what", "measured"],
    rows: [
      [`answers/s of ${few} connections`, withSpread(measured.summary("few", "rate"), 0)],
      [`answers/s of ${many} connections`, withSpread(measured.summary("many", "rate"), 0)],
      ["answers/s at twice the capacity", withSpread(measured.summary("overload", "rate"), 0)],
      ["health of each listener, p99", healthP99.map((ms) => `${withDigits(ms, 0)} ms`).join(", ")],
      ["refusals", withDigits(received.refusals, 0)],
      [`peak memory with ${2 * many} connections`, `${withDigits(peakMiB(), 0)} MiB`],
    ],
    measured: [
      ["connectionsNew", summarize([p99(calls)])],
      ["connectionsHealth", summarize([Math.max(...healthP99)])],
      ["connectionsRate", measured.ratio("rate", "many", "few")],
      ["connectionsMemory", summarize([peakOfMany])],
      ["connectionsOverload", measured.ratio("rate", "overload", "many")],
      ["connectionsRefusals", summarize([received.refusalsWithoutDelay])],
    ],
  };
}

/** Deletes items, and returns the requests with which principals repeat the deletions. They return 200, and write nothing. */
async function prepareRequests(dataDir: string, principals: number): Promise<Buffer[]> {
  // The rates of an administrator would slow the preparation down. The tokens are valid for 15 minutes, also after a restart.
  await using app = await startApp({ DATA_DIR: dataDir, DEMO: "on", RATE_LIMITS: "off" }, { stderr: "ignore" });
  const port = Number(new URL(app.publicUrl).port);
  const admin = adminOf(app.internalUrl, join(dataDir, "admin.token"));
  const requests: Buffer[] = [];
  await inBatches(
    principals,
    async (index) => {
      const vault = { tenantId, vaultId: vaultName(index % vaults) };
      const principal = { tenantId, principalId: `principal-${index}` };
      if (index < vaults) {
        await admin("VaultAdminService/CreateVault", vault);
        await admin("VaultAdminService/PutItem", { ...fixtureItem, ...vault, baseVersion: 0 });
      }
      await admin("AccessAdminService/SetPrincipal", { ...principal, active: true });
      await admin("VaultAdminService/SetVaultMember", { ...vault, ...principal, role: "member" });
      const { accessToken } = await admin("AccessAdminService/IssueAccessToken", { ...principal, ...client });
      requests.push(deleteItemRequest(vault.vaultId, fixtureItem.itemId, String(accessToken)));
      if (index < vaults) await requestOnce(port, requests.at(-1) ?? Buffer.alloc(0));
    },
    50,
  );
  await app.stop();
  return requests;
}
