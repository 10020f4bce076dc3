import { readFile } from "node:fs/promises";
import type { Logger, MachineClocks } from "@platform-rpc/server";
import { type RunningApp, startReferenceApp } from "../app.js";
import { createLog } from "../log.js";
import { readSettings } from "../settings.js";
import { newTemporaryFolder } from "./temporary-folder.js";

export interface TestApp extends RunningApp {
  readonly adminToken: string;
  readonly dataDir: string;
  /** Stops the app and removes its data. */
  end(): Promise<void>;
}

/** Starts the whole app in this process, on free ports and with a new data directory. */
export async function startTestApp(
  environment: Readonly<Record<string, string>> = {},
  parts: { readonly clocks?: MachineClocks; readonly logger?: Logger } = {},
): Promise<TestApp> {
  const folder = await newTemporaryFolder();
  const quiet = { PORT: "0", INTERNAL_PORT: "0", DATA_DIR: folder.path, DEMO: "off", LOG_LEVEL: "silent" };
  const settings = readSettings({ ...quiet, ...environment });
  const app = await startReferenceApp(settings, { logger: createLog(settings.logLevel), ...parts });
  return {
    ...app,
    dataDir: settings.dataDir,
    adminToken: await readFile(app.adminTokenFile, "utf8"),
    async end() {
      await app.stop();
      await folder.remove();
    },
  };
}
