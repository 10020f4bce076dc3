import { expect, it, onTestFinished } from "vitest";
import { explainStartError } from "../../src/start-error.js";
import { call, errorIn } from "../../src/testing/call.js";
import { startTestApp } from "../../src/testing/start-test-app.js";

it("the app on PostgreSQL rejects a backup, and says how PostgreSQL is backed up", async () => {
  const { internalUrl, adminToken, end } = await startTestApp();
  onTestFinished(end);
  const operation = "platform.internal.v1.MaintenanceService/BackUpDatabase";
  const rejected = await call(internalUrl, operation, { path: "/tmp/backup" }, adminToken);
  expect(errorIn(rejected)).toMatchObject({ reason: "BACKUP_FAILED" });
  expect(rejected.text).toContain("pg_basebackup");
});

it("the app does not start without a database that answers, and says why without the URL", async () => {
  const environment = { DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/none" };
  const message = explainStartError(await startTestApp(environment).catch((thrown: unknown) => thrown), environment);
  expect(message).toMatch(
    /^The database cannot be used: .*ECONNREFUSED.*\nCheck that it runs, and that DATABASE_URL is right\.$/,
  );
  expect(message).not.toContain("hunter2");
});
