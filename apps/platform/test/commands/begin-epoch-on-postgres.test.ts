import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { createPostgresStorage } from "@platform-rpc/server/postgres";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

/** Seals what the app has not sealed. Returns the newest head. */
async function sealAudit(url: string): Promise<string> {
  const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32) });
  await storage.sealAudit(1000);
  const newest = (await storage.readAudit(0, 1000)).entries.at(-1);
  await storage.close();
  return newest !== undefined && "trail" in newest ? newest.trail : "";
}

it("platform begin-epoch begins an epoch once no process uses the database, and verify-audit on PostgreSQL knows it, and a damaged row", async () => {
  const DATA_DIR = await temporaryFolder();
  const DATABASE_URL = (await testDatabase(DATA_DIR)) ?? "";
  onTestFinished(() => dropTestDatabase(DATA_DIR));
  const environment = { DATA_DIR, DATABASE_URL, DEMO: "off", LOG_LEVEL: "warn" };
  const app = await runApp(environment);
  const head = await sealAudit(DATABASE_URL);
  const inUse = await runCommand(environment, "begin-epoch");
  expect([inUse.code, inUse.out]).toEqual([1, ""]);
  expect(inUse.err).toMatch(/^No epoch was begun\. The platform uses the database\. Stop every process/);
  expect(await app.stop()).toBe(0);
  const begun = await runCommand(environment, "begin-epoch", "--gap", "1000");
  expect([begun.code, begun.err]).toEqual([0, ""]);
  expect(begun.out).toMatch(/^Epoch 1 begins: .*[\s\S]*Repeat these[\s\S]*deactivate principals/);
  await sealAudit(DATABASE_URL);
  const cut = await runCommand(environment, "verify-audit", "--head", "f".repeat(64));
  expect(cut.err).toMatch(/^The head f{64} is not here\. .*A backup was restored at .*Z: heads/);
  expect((await runCommand(environment, "verify-audit", "--head", head)).code).toBe(0);

  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  const damage =
    "UPDATE audit SET principal_id = 'x' || principal_id WHERE position = (SELECT min(position) FROM audit)";
  await client.query(`ALTER TABLE audit DISABLE TRIGGER audit_stands; ${damage}`).finally(() => client.end());
  const damaged = await runCommand(environment, "verify-audit");
  expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining("a record was changed or moved")]);
});

it("platform begin-epoch explains that a restore on SQLite begins the epoch", async () => {
  const none = await runCommand({ DATA_DIR: await temporaryFolder() }, "begin-epoch");
  expect([none.code, none.out]).toEqual([1, ""]);
  expect(none.err).toMatch(
    /^Set DATABASE_URL to the restored database\. On SQLite, `platform restore` begins the epoch\./,
  );
});
