import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { createPostgresStorage } from "@platform-rpc/server/postgres";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { runApp, runProgram } from "../testing/program.js";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

/** Runs a command of the built program. Most commands run in this process instead. */
async function run(environment: Readonly<Record<string, string>>, ...args: string[]) {
  const program = runProgram("main", environment, { args });
  return { code: await program.ended, out: program.out(), err: program.err() };
}

/** Seals what the app has not sealed. Returns the newest head. */
async function sealAudit(url: string): Promise<string> {
  const storage = await createPostgresStorage({ url, contentKey: new Uint8Array(32) });
  await storage.sealAudit(1000);
  const newest = (await storage.readAudit(0, 1000)).entries.at(-1);
  await storage.close();
  return newest !== undefined && "trail" in newest ? newest.trail : "";
}

it("platform verify-audit, export-audit and begin-epoch on PostgreSQL", async () => {
  const DATA_DIR = await temporaryFolder();
  const DATABASE_URL = (await testDatabase(DATA_DIR)) ?? "";
  onTestFinished(() => dropTestDatabase(DATA_DIR));
  const environment = { DATA_DIR, DATABASE_URL, DEMO: "off", LOG_LEVEL: "warn" };
  const app = await runApp(environment);
  const head = await sealAudit(DATABASE_URL);
  const verified = await run(environment, "verify-audit", "--head", head);
  expect([verified.code, verified.err]).toEqual([0, ""]);
  expect(verified.out).toContain(`Head: ${head} at position`);
  const file = join(DATA_DIR, "export");
  expect((await runCommand(environment, "export-audit", file)).code).toBe(0);
  expect((await readFile(file, "utf8")).split("\n").length).toBeGreaterThan(2);
  expect((await runCommand({ DATA_DIR }, "verify-audit", "--file", file, "--head", head)).code).toBe(0);

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
  await client.query("ALTER TABLE audit DISABLE TRIGGER audit_stands");
  await client.query("DELETE FROM audit WHERE position = (SELECT min(position) FROM audit)");
  await client.end();
  const changed = await runCommand(environment, "verify-audit");
  expect(changed.code).toBe(1);
  expect(changed.err).toMatch(/a record was removed, after position 0 and up to/);
}, 120_000);

it("platform begin-epoch explains that a restore on SQLite begins the epoch", async () => {
  const none = await runCommand({ DATA_DIR: await temporaryFolder() }, "begin-epoch");
  expect([none.code, none.out]).toEqual([1, ""]);
  expect(none.err).toMatch(
    /^Set DATABASE_URL to the restored database\. On SQLite, `platform restore` begins the epoch\./,
  );
});
