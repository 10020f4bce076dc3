import { type AppOptions, startPlatformApp } from "../../app/app.js";
import { createLog } from "../../process/log.js";
import { readSettings } from "../../settings/settings.js";
import { newTemporaryFolder } from "../../testing/temporary-folder.js";

/** Starts the app with its demo in this process, on free ports, with SQLite. Disposing of it removes its data. */
export async function startSite(
  environment: Readonly<Record<string, string>> = {},
  parts: Partial<Pick<AppOptions, "logger">> = {},
) {
  const folder = await newTemporaryFolder();
  const ports = { PORT: "0", INTERNAL_PORT: "0", ACCOUNTS_PORT: "0", MCP_PORT: "0" };
  const settings = readSettings({ ...ports, DATA_DIR: folder.path, LOG_LEVEL: "silent", ...environment });
  const app = await startPlatformApp(settings, { logger: createLog(settings.logLevel), ...parts });
  return {
    ...app,
    origin: app.accountsUrl ?? "",
    async [Symbol.asyncDispose]() {
      await app.stop();
      await folder.remove();
    },
  };
}
