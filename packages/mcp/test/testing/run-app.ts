import { join } from "node:path";
import { adminOf, startApp } from "@platform-rpc/testbed/app";
import { onTestFinished } from "vitest";

const tenantId = "acme";

/** Starts the built platform app for one test, with an empty database. */
export async function runApp(dataDir: string) {
  const settings = { ACCOUNTS_TENANT: tenantId, DATA_DIR: dataDir, DEMO: "off", LOG_LEVEL: "silent" };
  const app = await startApp(settings);
  onTestFinished(() => app[Symbol.asyncDispose]());
  const call = adminOf(app.internalUrl, join(dataDir, "admin.token"));
  return {
    publicUrl: app.publicUrl,
    accountsUrl: app.accountsUrl,
    /** Calls a private operation of administrators, which must succeed. */
    admin: (operation: string, body: object) => call(operation, { tenantId, ...body }),
  };
}
