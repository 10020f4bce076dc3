import { readFile } from "node:fs/promises";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import "@platform-rpc/testbed/local-names";
import { type AppOptions, type RunningApp, startPlatformApp } from "../app/app.js";
import { createLog } from "../process/log.js";
import { readSettings } from "../settings/settings.js";
import { call } from "./call.js";
import { newTemporaryFolder } from "./temporary-folder.js";

export interface TestApp extends RunningApp {
  readonly adminToken: string;
  readonly dataDir: string;
  /** Calls a private operation, such as `VaultAdminService/PutItem`, which must succeed. Returns the JSON of the response. */
  admin(operation: string, body: object): Promise<unknown>;
  /** Stops the app and removes its data. */
  end(): Promise<void>;
}

/** Starts the whole app in this process, on free ports, with a new data directory, and on the engine of the tests. */
export async function startTestApp(
  environment: Readonly<Record<string, string>> = {},
  parts: Partial<Pick<AppOptions, "clocks" | "logger" | "fetchDocument">> = {},
): Promise<TestApp> {
  const folder = await newTemporaryFolder();
  const ports = { PORT: "0", INTERNAL_PORT: "0", ACCOUNTS_PORT: "0", MCP_PORT: "0" };
  const quiet = { ...ports, DATA_DIR: folder.path, DEMO: "off", LOG_LEVEL: "silent" };
  const { DATA_DIR } = { ...quiet, ...environment };
  const DATABASE_URL = await testDatabase(DATA_DIR);
  const settings = readSettings({ ...quiet, DATABASE_URL, ...environment });
  const starting = startPlatformApp(settings, { logger: createLog(settings.logLevel), ...parts });
  const app = await starting.catch(async (thrown: unknown) => {
    await dropTestDatabase(folder.path);
    await folder.remove();
    throw thrown;
  });
  const adminToken = await readFile(app.adminTokenFile, "utf8");
  return {
    ...app,
    dataDir: settings.dataDir,
    adminToken,
    async admin(operation, body) {
      const { status, json, text } = await call(app.internalUrl, `platform.internal.v1.${operation}`, body, adminToken);
      if (status !== 200) throw new Error(`${operation}: ${text}`);
      return json;
    },
    async end() {
      await app.stop();
      await dropTestDatabase(folder.path);
      await folder.remove();
    },
  };
}
