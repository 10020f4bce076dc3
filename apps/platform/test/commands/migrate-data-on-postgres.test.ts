import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { expect, it, onTestFinished } from "vitest";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

it("platform migrate-data copies the database of a stopped platform, and starts it on PostgreSQL", async () => {
  const DATA_DIR = await temporaryFolder();
  const environment = { DATA_DIR, DEMO: "off", LOG_LEVEL: "warn" };
  const DATABASE_URL = (await testDatabase(DATA_DIR, { migrated: false })) ?? "";
  onTestFinished(() => dropTestDatabase(DATA_DIR));
  const before = await runApp(environment);
  const inUse = await runCommand({ ...environment, DATABASE_URL }, "migrate-data");
  expect([inUse.code, inUse.out]).toEqual([1, ""]);
  expect(inUse.err).toMatch(/platform\.sqlite is in use/);
  expect(await before.stop()).toBe(0);

  const from = `sqlite:${join(DATA_DIR, "platform.sqlite")}`;
  const copied = await runCommand(environment, "migrate-data", "--from", from, "--to", DATABASE_URL);
  expect([copied.code, copied.err]).toEqual([0, ""]);
  expect(copied.out).toMatch(
    /^Copied .*platform\.sqlite to postgres:\/\/.*: 0 vaults, 0 items, 0 changes, \d+ records/,
  );
  expect(copied.out).toMatch(/\nVerified: all rows of 10 tables are equal on both sides/);
  expect((await runCommand({ ...environment, DATABASE_URL }, "migrate-data")).out).toMatch(
    /^Nothing to do: an earlier run/,
  );
  const after = await runApp({ ...environment, DATABASE_URL });
  expect(await after.stop()).toBe(0);
});

it("platform migrate-data explains what is missing", async () => {
  const DATA_DIR = await temporaryFolder();
  const environment = { DATA_DIR, DEMO: "off" };
  const DATABASE_URL = "postgres://user:hunter2@127.0.0.1:1/none";
  const failures = [
    [[], /Set --to or DATABASE_URL/],
    [["--to", "mysql://x"], /Must be postgres:/],
    [["--from", "elsewhere", "--to", DATABASE_URL], /--from must be sqlite:/],
    [["--to", DATABASE_URL], /There is no key file/],
  ] as const;
  for (const [args, message] of failures) {
    const { code, out, err } = await runCommand(environment, "migrate-data", ...args);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/hunter2|^ +at |bug in the program/m);
  }
  const keys = { version: 1, hmacKey: Buffer.alloc(32).toString("base64url"), keys: [] };
  await writeFile(join(DATA_DIR, "keys.json"), JSON.stringify(keys), { mode: 0o600 });
  const none = await runCommand(environment, "migrate-data", "--to", DATABASE_URL);
  expect(none.err).toMatch(/^The data was not copied\. There is no file .*platform\.sqlite\. Check the path/);
});
