import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { freePort } from "@platform-rpc/testbed/network";
import { interleave } from "../measure/interleave.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { startApp } from "./run-app.ts";

const rounds = 3;
const held = 5_000;
const newcomers = 100;
const pipelined = 1_000;

const assets = fileURLToPath(new URL("../../../../apps/platform/dist/assets/console/assets/", import.meta.url));

/** Runs `pnpm bench accounts`: the accounts listener while one address has all of its connections, and under unread responses. */
export async function benchAccounts(): Promise<BenchResult> {
  const measured = await interleave([["app", measure]] as const, rounds);
  const row = (what: string, key: Key, unit: string, digits: number) => [
    what,
    `${withSpread(measured.summary("app", key), digits)} ${unit}`,
  ];
  return {
    title: "Accounts listener under hostile callers",
    method: `One address has all ${withDigits(held, 0)} connections, each idle after one request. Then ${newcomers} callers from another address connect one after the other: the time from connecting to a 200. In between, two callers each pipeline ${withDigits(pipelined, 0)} requests for the largest script of the console and read nothing: the memory that this adds, and the longest of ${newcomers} health checks meanwhile. ${rounds} rounds, each with a new process.`,
    columns: ["what", "measured"],
    rows: [
      row("memory of a held connection", "heldKb", "kB", 1),
      row("newcomer, median", "newcomerMs", "ms", 1),
      row("newcomer, longest", "longestNewcomerMs", "ms", 1),
      row("memory of unread responses", "unreadMb", "MB", 1),
      row("health check meanwhile, longest", "longestHealthMs", "ms", 1),
    ],
    measured: [
      ["newcomer", measured.summary("app", "longestNewcomerMs")],
      ["unread", measured.summary("app", "unreadMb")],
      ["healthUnderPipelining", measured.summary("app", "longestHealthMs")],
    ],
  };
}

type Key = "heldKb" | "newcomerMs" | "longestNewcomerMs" | "unreadMb" | "longestHealthMs";

async function measure(): Promise<Readonly<Record<Key, number>>> {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder("bench");
  stack.defer(folder.remove);
  const port = await freePort();
  // Below the ports that the system chooses for outgoing connections: those that wait for the start could take any other.
  const accountsPort = 20_000 + (process.pid % 10_000);
  const health = (onPort: number) => Buffer.from(requestOf("/healthz", onPort));
  const environment = {
    DATA_DIR: join(folder.path, "data"),
    DEMO: "off",
    ACCOUNTS_TENANT: "acme",
    ACCOUNTS_PORT: String(accountsPort),
    ACCOUNTS_MAX_CONNECTIONS: String(held),
    LOG_LEVEL: "silent",
  };
  const app = await startApp([], port, () => health(port), environment);
  stack.defer(app.stop);
  const largest = `/console/assets/${largestScript()}`;
  // The first responses load what every response needs.
  for (const path of ["/healthz", largest]) await askOnce(accountsPort, path, "127.0.0.2");

  const unreadBefore = residentBytes(app.pid);
  const deaf = [connectFrom("127.0.0.3", accountsPort), connectFrom("127.0.0.3", accountsPort)];
  for (const socket of deaf) socket.pause().write(requestOf(largest, accountsPort).repeat(pipelined));
  const healthMs = await timesOf(accountsPort, "127.0.0.2");
  const unreadMb = (residentBytes(app.pid) - unreadBefore) / 1e6;
  for (const socket of deaf) socket.destroy();

  const before = residentBytes(app.pid);
  const crowd: Socket[] = [];
  while (crowd.length < held) {
    const group = Array.from({ length: 100 }, () => connectFrom("127.0.0.1", accountsPort));
    for (const socket of group) socket.write(requestOf("/healthz", accountsPort));
    await Promise.all(group.map((socket) => once(socket, "data")));
    crowd.push(...group);
  }
  const heldKb = (residentBytes(app.pid) - before) / held / 1000;
  // A connection that was used within the last second makes no room.
  await setTimeout(1_100);
  const newcomerMs = await timesOf(accountsPort, "127.0.0.2");
  for (const socket of crowd) socket.destroy();
  return {
    heldKb,
    newcomerMs: newcomerMs[Math.floor(newcomerMs.length / 2)] ?? 0,
    longestNewcomerMs: newcomerMs.at(-1) ?? 0,
    unreadMb,
    longestHealthMs: healthMs.at(-1) ?? 0,
  };
}

/** Returns how long each of the newcomers took, in milliseconds, the shortest first. */
async function timesOf(port: number, address: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let count = 0; count < newcomers; count += 1) times.push(await askOnce(port, "/healthz", address));
  return times.toSorted((one, other) => one - other);
}

/** Sends one request on a new connection. Resolves with the time until its 200, in milliseconds. */
async function askOnce(port: number, path: string, address: string): Promise<number> {
  const startedAt = performance.now();
  const socket = connectFrom(address, port);
  socket.write(requestOf(path, port));
  const arrived: unknown = await Promise.race([once(socket, "data"), once(socket, "close").then(() => [""])]);
  socket.destroy();
  if (!String(arrived).startsWith("HTTP/1.1 200 "))
    throw new Error(`The accounts listener did not answer ${path} with 200.`);
  return performance.now() - startedAt;
}

function connectFrom(localAddress: string, port: number): Socket {
  return createConnection({ port, host: "127.0.0.1", localAddress, noDelay: true }).on("error", () => {});
}

function requestOf(path: string, port: number): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
}

function largestScript(): string {
  const sizeOf = (name: string) => statSync(join(assets, name)).size;
  const [largest = ""] = readdirSync(assets)
    .filter((name) => name.endsWith(".js"))
    .toSorted((one, other) => sizeOf(other) - sizeOf(one));
  return largest;
}

/** Returns the resident set of a process, in bytes. Linux only. */
function residentBytes(pid: number): number {
  const [, pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  return Number(pages) * 4096;
}
