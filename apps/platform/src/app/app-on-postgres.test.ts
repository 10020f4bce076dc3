import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSettings } from "../settings/settings.js";
import { explainStartError } from "../start-error.js";
import { call, errorIn } from "../testing/call.js";
import { startTestApp } from "../testing/start-test-app.js";

/** Starts the app on a new PostgreSQL database. It ends with the test. */
async function startApp(environment: Readonly<Record<string, string>> = {}) {
  const app = await startTestApp(environment);
  onTestFinished(app.end);
  return app;
}

describe("the app on PostgreSQL", () => {
  it("answers 200 to the curl lines of the demo", async () => {
    const { publicUrl, dataDir } = await startApp({ DEMO: "on" });
    const read = (name: string) =>
      import("node:fs/promises").then((fs) => fs.readFile(join(dataDir, "demo", name), "utf8"));
    const token = await read("access.token");
    const send = async (operation: string, file: string) =>
      call(publicUrl, operation, JSON.parse(await read(file)), token);
    expect(await send("platform.v1.VaultService/DeleteItem", "delete-item.json")).toMatchObject({ status: 200 });
    const exchange = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";
    expect(await send(exchange, "exchange.json")).toMatchObject({ status: 200 });
  });

  it("keeps the data in the database and the keys in KEYS_FILE, so that another process can continue", async () => {
    const first = await startApp();
    const vault = { tenantId: "t-1", vaultId: "v-1" };
    const createVault = "platform.internal.v1.VaultAdminService/CreateVault";
    const listChanges = "platform.internal.v1.VaultAdminService/ListChanges";
    await call(first.internalUrl, createVault, vault, first.adminToken);
    const second = await startTestApp({ DATA_DIR: first.dataDir });
    onTestFinished(second.end);
    const listed = await call(second.internalUrl, listChanges, { ...vault, limit: 1 }, second.adminToken);
    expect(listed.json).toMatchObject({ changes: [] });
  });

  it("rejects a backup, and says how PostgreSQL is backed up", async () => {
    const { internalUrl, adminToken } = await startApp();
    const operation = "platform.internal.v1.MaintenanceService/BackUpDatabase";
    const rejected = await call(internalUrl, operation, { path: "/tmp/backup" }, adminToken);
    expect(errorIn(rejected)).toMatchObject({ reason: "BACKUP_FAILED" });
    expect(rejected.text).toContain("pg_basebackup");
  });

  it("does not start without a database that answers, and says why without the URL", async () => {
    const starting = startTestApp({ DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/none" });
    const message = explainStartError(await starting.catch((thrown: unknown) => thrown));
    expect(message).toMatch(
      /^The database cannot be used: .*ECONNREFUSED.*\nCheck that it runs, and that DATABASE_URL is right\.$/,
    );
    expect(message).not.toContain("hunter2");
  });

  it("has no demo unless it is switched on, because others may reach the database", () => {
    expect(readSettings({ DATABASE_URL: "postgres://localhost/platform" }).demo).toBe(false);
  });
});
