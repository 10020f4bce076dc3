import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlatformApp } from "./app/app.js";
import { createLog } from "./process/log.js";
import type { PlatformAddress } from "./rpc/admin-clients.js";
import { type Reporter, ScenarioError } from "./scenario/reporter.js";
import { runScenario } from "./scenario/scenario.js";
import { listenerUrl } from "./settings/listener-url.js";
import { readSettings, type Settings } from "./settings/settings.js";
import { explainStartError } from "./start-error.js";

const say = (line: string) => process.stdout.write(`${line}\n`);

const reporter: Reporter = {
  group: (title) => say(`\n${title}`),
  passed: (sentence) => say(`  ✓ ${sentence}`),
};

/** Returns the address of the running app with these settings; undefined when none is running. */
async function findRunning(settings: Settings): Promise<PlatformAddress | undefined> {
  const { host, port, basePath, internalHost, internalPort, dataDir } = settings;
  const internalUrl = listenerUrl(internalHost, internalPort);
  try {
    const ready = await fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(10_000) });
    if (!ready.ok) return undefined;
    const adminToken = await readFile(join(dataDir, "admin.token"), "utf8");
    return { publicUrl: listenerUrl(host, port) + basePath, internalUrl, adminToken };
  } catch {
    return undefined;
  }
}

/** Runs `work` against a temporary app on free ports. Its data directory is removed afterwards. */
async function withTemporaryApp(work: (address: PlatformAddress) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "platform-demo-"));
  try {
    const settings = readSettings({
      PORT: "0",
      INTERNAL_PORT: "0",
      ACCOUNTS_PORT: "0",
      MCP_PORT: "0",
      DATA_DIR: dataDir,
      DEMO: "off",
      LOG_LEVEL: "warn",
    });
    const app = await startPlatformApp(settings, { logger: createLog(settings.logLevel) });
    try {
      const { publicUrl, internalUrl, adminTokenFile } = app;
      await work({ publicUrl, internalUrl, adminToken: await readFile(adminTokenFile, "utf8") });
    } finally {
      await app.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const run = (address: PlatformAddress) => runScenario(address, reporter);
  const running = await findRunning(readSettings(process.env));
  if (running === undefined) {
    say("No running platform found. Starting a temporary one, which is removed afterwards.");
    await withTemporaryApp(run);
  } else {
    say(`Using the platform running at ${running.publicUrl}.`);
    await run(running);
  }
  say("\nAll steps passed.");
}

main().catch((thrown: unknown) => {
  process.stderr.write(`\n${explain(thrown)}\n`);
  process.exitCode = 1;
});

function explain(thrown: unknown): string {
  if (thrown instanceof ScenarioError) return thrown.message;
  // Errors of calls say what to do, and contain neither tokens nor codes.
  if (thrown instanceof Error && ["ConnectError", "PlatformError"].includes(thrown.name)) {
    return `A call failed: ${thrown.message}\nIf the running platform uses another data directory, set DATA_DIR to it.`;
  }
  return explainStartError(thrown);
}
