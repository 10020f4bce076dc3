import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startBuiltProgram } from "@platform-rpc/testbed/app";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { freePort } from "@platform-rpc/testbed/network";
import { startProgram } from "@platform-rpc/testbed/processes";
import { deleteItemRequest, requestOnce } from "../load/connection.ts";
import { onFirstCore } from "../load/pinning.ts";
import { interleave } from "../load/rounds.ts";
import { type BenchResult, withDigits, withSpread } from "../report/format.ts";

const rounds = 15;

/** Runs `pnpm bench start`: the time from the start of the platform app's process to the first call that returns 200. */
export async function benchStart(): Promise<BenchResult> {
  const folder = createTemporaryFolder("bench");
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
    method: `From the start of the process to the first DeleteItem that returns 200, over ${rounds} starts of the platform app with an existing database. The table also shows the start of an empty Node process. The very first start, which creates the database, the keys and the demo data, took ${withDigits(firstMs, 0)} ms.`,
    columns: ["process", "ms"],
    rows: [
      ["platform app, to the first 200", withSpread(measured.summary("app", "ms"), 0)],
      ["`node --eval 0`, to its end", withSpread(measured.summary("node", "ms"), 0)],
    ],
    measured: [["start", measured.summary("app", "ms")]],
  };
}

/** Starts the app, waits for the first 200 and stops it. Returns the milliseconds until the 200. */
async function start(
  request: () => Buffer,
  { folder, port, demo }: { readonly folder: string; readonly port: number; readonly demo: "on" | "off" },
): Promise<number> {
  const settings = { PORT: String(port), DATA_DIR: join(folder, "data"), DEMO: demo };
  const startedAt = performance.now();
  const app = startBuiltProgram("main", settings, { under: onFirstCore, stderr: "ignore" });
  while (!(await succeeds(port, request))) {
    if (!app.running) throw new Error(`The platform app ended with exit code ${await app.ended}.`);
  }
  const ms = performance.now() - startedAt;
  await app.stop();
  return ms;
}

async function succeeds(port: number, request: () => Buffer): Promise<boolean> {
  try {
    const { status } = await requestOnce(port, request());
    return status === 200;
  } catch {
    // The app does not listen yet. Waits, so that polling takes no CPU time from it.
    await setTimeout(1);
    return false;
  }
}

async function emptyProcess(): Promise<number> {
  const startedAt = performance.now();
  await startProgram([...onFirstCore, process.execPath, "--eval", "0"]).ended;
  return performance.now() - startedAt;
}

/** Returns the request of the demo's files. Repeating it is a retry, which returns 200. */
function requestOfDemo(folder: string): Buffer {
  const read = (file: string) => readFileSync(join(folder, "data/demo", file), "utf8");
  const { vaultId, itemId, baseVersion } = JSON.parse(read("delete-item.json"));
  return deleteItemRequest(vaultId, itemId, read("access.token").trim(), baseVersion);
}
