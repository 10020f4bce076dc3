import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { freePort } from "@platform-rpc/testbed/network";
import { startProgram } from "@platform-rpc/testbed/processes";
import { onFirstCore } from "../load/pinning.ts";
import { deleteItemRequest } from "../load/request.ts";
import { interleave } from "../measure/interleave.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { startApp } from "./run-app.ts";

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
    method: `From the start of the process to the first DeleteItem that returns 200, over ${rounds} starts of the platform app with an existing database. An empty Node process for comparison. The very first start, which creates the database, the keys and the demo data, took ${withDigits(firstMs, 0)} ms.`,
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
  const app = await startApp(onFirstCore, port, request, { DATA_DIR: join(folder, "data"), DEMO: demo });
  await app.stop();
  return app.startedInMs;
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
