import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlatformAddress } from "./admin-clients.js";
import { startReferenceApp } from "./app.js";
import { listenerUrl } from "./listener-url.js";
import { createLog } from "./log.js";
import { readSettings, type Settings } from "./settings.js";
import { explainStartError } from "./start-error.js";
import { type Narrator, StoryError } from "./story/narrator.js";
import { tellStory } from "./story/story.js";

const say = (line: string) => process.stdout.write(`${line}\n`);

const narrator: Narrator = {
  chapter: (title) => say(`\n${title}`),
  happened: (sentence) => say(`  ✓ ${sentence}`),
};

/** The app that these settings would start, if it is running. */
async function findRunning(settings: Settings): Promise<PlatformAddress | undefined> {
  const { host, port, basePath, internalHost, internalPort, dataDir } = settings;
  const internalUrl = listenerUrl(internalHost, internalPort);
  try {
    const ready = await fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(1_000) });
    if (!ready.ok) return undefined;
    const adminToken = await readFile(join(dataDir, "admin.token"), "utf8");
    return { publicUrl: listenerUrl(host, port) + basePath, internalUrl, adminToken };
  } catch {
    return undefined;
  }
}

/** An app of our own, on free ports and with a data directory that is gone afterwards. */
async function withOwnApp(work: (address: PlatformAddress) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "platform-demo-"));
  try {
    const settings = readSettings({ PORT: "0", INTERNAL_PORT: "0", DATA_DIR: dataDir, DEMO: "off", LOG_LEVEL: "warn" });
    const app = await startReferenceApp(settings, { logger: createLog(settings.logLevel) });
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
  const tell = (address: PlatformAddress) => tellStory(address, narrator);
  const running = await findRunning(readSettings(process.env));
  if (running === undefined) {
    say("No platform is running here, so this demo starts one for itself and removes it afterwards.");
    await withOwnApp(tell);
  } else {
    say(`This demo talks to the platform that is running at ${running.publicUrl}.`);
    await tell(running);
  }
  say("\nEvery step did what it says.");
}

main().catch((thrown: unknown) => {
  process.stderr.write(`\n${explain(thrown)}\n`);
  process.exitCode = 1;
});

function explain(thrown: unknown): string {
  if (thrown instanceof StoryError) return thrown.message;
  // Errors of calls say what to do, and hold neither tokens nor codes.
  if (thrown instanceof Error && ["ConnectError", "PlatformError"].includes(thrown.name)) {
    return `A call failed: ${thrown.message}\nIf another data directory belongs to the running platform, set DATA_DIR to it.`;
  }
  return explainStartError(thrown);
}
