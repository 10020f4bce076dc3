import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { expect, it, onTestFinished } from "vitest";
import { call } from "../testing/call.js";
import { runApp, runProgram } from "../testing/program.js";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

const service = "platform.internal.v1.VaultAdminService/";
const vault = { tenantId: "acme", vaultId: "personal" };
const payload = { alg: "A256GCM", nonce: "bm9uY2U", aad: "", ciphertext: "c2VjcmV0", version: 1 };
const item = {
  itemId: "item",
  baseVersion: 0,
  kind: "login",
  titleHash: "",
  encryptedPayload: payload,
  wrappedKeys: [],
};

/** Runs a command of the built program. Most commands run in this process instead. */
async function run(environment: Readonly<Record<string, string>>, ...args: string[]) {
  const program = runProgram("main", environment, { args });
  return { code: await program.ended, out: program.out(), err: program.err() };
}

it("platform migrate-data copies a database, whose items and tokens are valid on PostgreSQL", async () => {
  const DATA_DIR = await temporaryFolder();
  const environment = { DATA_DIR, DEMO: "off", RATE_LIMITS: "off", LOG_LEVEL: "warn" };
  const DATABASE_URL = (await testDatabase(DATA_DIR, { migrated: false })) ?? "";
  onTestFinished(() => dropTestDatabase(DATA_DIR));
  const before = await runApp(environment);
  const token = await readFile(join(DATA_DIR, "admin.token"), "utf8");
  const send = (url: string, method: string, body: object) => call(url, service + method, { ...vault, ...body }, token);
  await send(before.internalUrl, "CreateVault", {});
  await send(before.internalUrl, "PutItem", item);
  const { json } = await send(before.internalUrl, "GetItem", { itemId: "item" });

  const inUse = await runCommand({ ...environment, DATABASE_URL }, "migrate-data");
  expect([inUse.code, inUse.out]).toEqual([1, ""]);
  expect(inUse.err).toMatch(/platform\.sqlite is in use/);
  expect(await before.stop()).toBe(0);

  const from = `sqlite:${join(DATA_DIR, "platform.sqlite")}`;
  const copied = await run(environment, "migrate-data", "--from", from, "--to", DATABASE_URL);
  expect([copied.code, copied.err]).toEqual([0, ""]);
  expect(copied.out).toMatch(
    /^Copied .*platform\.sqlite to postgres:\/\/.*: 1 vaults, 1 items, 1 changes, \d+ records/,
  );
  expect(copied.out).toMatch(/\nVerified: all rows of 10 tables are equal on both sides/);
  expect((await runCommand({ ...environment, DATABASE_URL }, "migrate-data")).out).toMatch(
    /^Nothing to do: an earlier run/,
  );

  const after = await runApp({ ...environment, DATABASE_URL });
  const found = await call(
    after.internalUrl,
    `${service}GetItem`,
    { ...vault, itemId: "item" },
    await adminToken(DATA_DIR),
  );
  expect(found).toMatchObject({ status: 200, json });
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

function adminToken(folder: string): Promise<string> {
  return readFile(join(folder, "admin.token"), "utf8");
}
