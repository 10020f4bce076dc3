import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { openPostgresCell } from "@platform-rpc/server/postgres";
import { expect, it, onTestFinished } from "vitest";
import { createAdminClients } from "../rpc/admin-clients.js";
import { call } from "../testing/call.js";
import { startTestApp, type TestApp } from "../testing/start-test-app.js";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

const deleteItem = "platform.v1.VaultService/DeleteItem";
const content = {
  kind: "login",
  titleHash: "title",
  encryptedPayload: { alg: "A256GCM", nonce: "AAAA", aad: "AAAA", ciphertext: "AAAA", version: 1 },
  wrappedKeys: [],
};

/** Creates a vault with items, which a principal of the tenant may delete. Returns their token. */
async function populate(app: TestApp, tenantId: string): Promise<string> {
  const subject = { tenantId, principalId: "ada", oauthClientId: "agent" };
  const { access } = createAdminClients(app);
  await access.setPrincipal({ ...subject, active: true });
  await access.setOauthClient({ ...subject, name: "Agent", allowedOperations: [deleteItem], enabled: true });
  const vault = { tenantId, vaultId: "main" };
  await app.admin("VaultAdminService/CreateVault", { ...vault, retentionDays: 30 });
  await app.admin("VaultAdminService/SetVaultMember", { ...vault, principalId: "ada", role: "owner" });
  for (const itemId of ["one", "two"]) {
    await app.admin("VaultAdminService/PutItem", { ...vault, itemId, baseVersion: 0, ...content });
  }
  const scopes = ["vault.items:delete"];
  return (await access.issueAccessToken({ ...subject, scopes, expiresInSeconds: 600 })).accessToken;
}

/** Creates two cells, of which "b" is empty, and a folder for a platform on SQLite with their keys. */
async function createPlaces() {
  const folder = await temporaryFolder();
  const KEYS_FILE = join(folder, "keys.json");
  const urls = new Map<string, string>();
  for (const name of ["a", "b"]) {
    const url = (await testDatabase(join(folder, name))) ?? "";
    onTestFinished(() => dropTestDatabase(join(folder, name)));
    const cell = await openPostgresCell({ url });
    await cell.assign(`neighbour in ${name}`).finally(() => cell.close());
    urls.set(name, url);
  }
  const cells = join(folder, "cells.json");
  await writeFile(cells, JSON.stringify(Object.fromEntries(urls)));
  const DATA_DIR = join(folder, "data");
  await mkdir(DATA_DIR);
  // The test app creates one for each folder on this engine.
  onTestFinished(() => dropTestDatabase(DATA_DIR));
  const environment = { DATA_DIR, KEYS_FILE };
  const urlOf = (name: string) => urls.get(name) ?? "";
  const file = join(DATA_DIR, "platform.sqlite");
  return {
    ...{ urlOf, environment, file },
    startOnSqlite: () => startTestApp({ ...environment, DATABASE_URL: "" }),
    startCell: async (name: string) => {
      const app = await startTestApp({ KEYS_FILE, DATABASE_URL: urlOf(name), CELL: name });
      onTestFinished(() => app.end());
      return app;
    },
    move: (tenantId: string, ...more: string[]) =>
      runCommand(
        environment,
        "move-tenant",
        tenantId,
        "--cells",
        cells,
        "--from",
        `sqlite:${file}`,
        "--to",
        "b",
        ...more,
      ),
  };
}

const remove = (url: string, itemId: string, token: string) =>
  call(url, deleteItem, { vaultId: "main", itemId, baseVersion: 1 }, token);

it("platform move-tenant moves a tenant from SQLite to a cell, where its token is valid and its sequences go on", async () => {
  const { urlOf, environment, file, startOnSqlite, startCell, move } = await createPlaces();
  const before = await startOnSqlite();
  const token = await populate(before, "acme");
  const first = await remove(before.publicUrl, "one", token);
  expect(first.status).toBe(200);
  const inUse = await move("acme");
  expect([inUse.code, inUse.err]).toEqual([1, expect.stringContaining("platform.sqlite is in use")]);
  await before.end();

  const moved = await move("acme");
  expect([moved.code, moved.err]).toEqual([0, ""]);
  expect(moved.out).toMatch(
    /^Copying .*\.sqlite to a database next to that of b\.\nEverything is copied, .*\nCopying the tenant acme .*\n.*\nThe cell b serves the tenant\.\n/,
  );
  expect(moved.out).toContain("Change the map of the router now: acme b.");
  const renamed = "platform.sqlite.moved-acme-to-b";
  expect((await readdir(environment.DATA_DIR)).filter((name) => name.startsWith("platform.sqlite"))).toEqual([renamed]);

  const after = await startCell("b");
  const second = await remove(after.publicUrl, "two", token);
  expect(second).toMatchObject({ status: 200 });
  const sequenceOf = ({ json }: typeof first) => Number(Reflect.get(Object(json), "sequence"));
  expect(sequenceOf(second)).toBe(sequenceOf(first) + 1);
  const verified = await runCommand({ DATABASE_URL: urlOf("b"), CELL: "b" }, "verify-audit");
  expect([verified.code, verified.err]).toEqual([0, ""]);

  const again = await move("acme");
  expect([again.code, again.out]).toEqual([0, expect.stringContaining("acme b")]);
  await expect(startOnSqlite()).rejects.toThrow(
    `There is no database ${file}: its tenant has moved to a cell, and the file is ${renamed} now.`,
  );
});

it("platform move-tenant refuses a file with several tenants, an unknown tenant, and one that a cell serves", async () => {
  const { urlOf, environment, startOnSqlite, move } = await createPlaces();
  const noKeys = await move("acme");
  expect([noKeys.code, noKeys.err]).toEqual([1, expect.stringContaining("There is no key file")]);
  const app = await startOnSqlite();
  await populate(app, "acme");
  await app.end();
  const unknown = await move("globex");
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("has no tenant globex. It has acme.")]);
  const cell = await openPostgresCell({ url: urlOf("a") });
  await cell.assign("acme").finally(() => cell.close());
  const served = await move("acme");
  expect(served.err).toMatch(/^The tenant was not moved\. The cell a knows the tenant acme: .*"serving"/);
  const later = await startOnSqlite();
  await populate(later, "globex");
  await later.end();
  const several = await move("globex");
  expect(several.err).toMatch(/has several tenants: acme, globex\. Copy it to a PostgreSQL database/);
  expect(await readdir(environment.DATA_DIR)).toContain("platform.sqlite");
});
