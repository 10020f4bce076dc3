import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { addressOf } from "../http/servers/listen.ts";
import { nodeOnFirstCore } from "../load/pinning.ts";
import { deleteItemRequest } from "../load/request.ts";
import { requestOnce } from "../load/request-once.ts";
import { createTemporaryFolder } from "../load/temporary-folder.ts";
import { interleave } from "../measure/interleave.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";

const rounds = 15;
const app = fileURLToPath(new URL("../../../../apps/reference/dist/main.js", import.meta.url));

/** Runs `pnpm bench start`: the time from the start of the reference app's process to the first call that returns 200. */
export async function benchStart(): Promise<BenchResult> {
  const folder = createTemporaryFolder();
  const port = await freePort();
  // The first start creates the database, the keys, and a token and an item for the measured starts.
  const firstMs = await start(() => requestOfDemo(folder.path), { folder: folder.path, port, demo: "on" });
  const request = requestOfDemo(folder.path);
  const measured = await interleave(
    [
      ["app", async () => ({ ms: await start(() => request, { folder: folder.path, port, demo: "off" }) })],
      ["node", async () => ({ ms: await emptyProcess() })],
    ] as const,
    rounds,
  );
  folder.remove();
  return {
    title: "Start",
    method: `From the start of the process to the first DeleteItem that returns 200, over ${rounds} starts of the reference app with an existing database. An empty Node process for comparison. The very first start, which creates the database, the keys and the demo data, took ${withDigits(firstMs, 0)} ms.`,
    columns: ["process", "ms"],
    rows: [
      ["reference app, to the first 200", withSpread(measured.summary("app", "ms"), 0)],
      ["`node --eval 0`, to its end", withSpread(measured.summary("node", "ms"), 0)],
    ],
    measured: [["start", measured.summary("app", "ms")]],
  };
}

interface StartOptions {
  readonly folder: string;
  readonly port: number;
  readonly demo: "on" | "off";
}

/** Starts the app, waits for the first 200 and stops it. Returns the milliseconds until then. */
async function start(request: () => Buffer, { folder, port, demo }: StartOptions): Promise<number> {
  const startedAt = performance.now();
  const child = run(["--disable-sigusr1", app], {
    PORT: String(port),
    INTERNAL_PORT: "0",
    DATA_DIR: join(folder, "data"),
    DEMO: demo,
  });
  const ended = once(child, "exit");
  let milliseconds: number | undefined;
  while (milliseconds === undefined) {
    if (child.exitCode !== null) throw new Error(`The reference app ended with exit code ${child.exitCode}.`);
    const answered = await attempt(port, request);
    if (answered?.status === 200) milliseconds = performance.now() - startedAt;
  }
  child.kill("SIGTERM");
  await ended;
  return milliseconds;
}

async function attempt(port: number, request: () => Buffer) {
  try {
    return await requestOnce(port, request());
  } catch {
    // The app does not listen yet. Waits, so that asking does not take CPU time from it.
    await setTimeout(1);
    return undefined;
  }
}

async function emptyProcess(): Promise<number> {
  const startedAt = performance.now();
  await once(run(["--eval", "0"], {}), "exit");
  return performance.now() - startedAt;
}

function run(args: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const [command, ...rest] = nodeOnFirstCore;
  const child = spawn(command, [...rest, ...args], { env: { ...process.env, ...environment }, stdio: "ignore" });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return child;
}

/** Returns the request of the demo's files. Repeating it is a retry, which returns 200. */
function requestOfDemo(folder: string): Buffer {
  const read = (file: string) => readFileSync(join(folder, "data/demo", file), "utf8");
  const { vaultId, itemId, baseVersion } = JSON.parse(read("delete-item.json"));
  return deleteItemRequest(vaultId, itemId, read("access.token").trim(), baseVersion);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = addressOf(server.address());
  server.close();
  await once(server, "close");
  return port;
}
