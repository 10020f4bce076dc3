import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dropTestDatabase, testDatabase } from "@platform-rpc/accounts/testing/test-database";
import { openPostgresCell } from "@platform-rpc/server/postgres";
import { expect, it, onTestFinished } from "vitest";
import { startTestApp } from "../../src/testing/start-test-app.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";
import { runCommand } from "./testing/run-command.js";

/** Creates a cell, and a folder for a platform on SQLite with its keys. */
async function createPlaces() {
  const folder = await temporaryFolder();
  const url = (await testDatabase(folder)) ?? "";
  onTestFinished(() => dropTestDatabase(folder));
  const cell = await openPostgresCell({ url });
  await cell.assign("neighbour").finally(() => cell.close());
  const cells = join(folder, "cells.json");
  await writeFile(cells, JSON.stringify({ b: url }));
  const DATA_DIR = join(folder, "data");
  await mkdir(DATA_DIR);
  // The test app creates one for each folder on this engine.
  onTestFinished(() => dropTestDatabase(DATA_DIR));
  const environment = { DATA_DIR, KEYS_FILE: join(folder, "keys.json") };
  const file = join(DATA_DIR, "platform.sqlite");
  return {
    url,
    file,
    files: async () => (await readdir(DATA_DIR)).filter((name) => name.startsWith("platform.sqlite")),
    startOnSqlite: () => startTestApp({ ...environment, DATABASE_URL: "" }),
    move: (tenantId: string) =>
      runCommand(environment, "move-tenant", tenantId, "--cells", cells, "--from", `sqlite:${file}`, "--to", "b"),
  };
}

it("platform move-tenant moves the tenant of a SQLite database to a cell", async () => {
  const { url, file, files, startOnSqlite, move } = await createPlaces();
  const app = await startOnSqlite();
  await app.admin("VaultAdminService/CreateVault", { tenantId: "acme", vaultId: "main" });
  const inUse = await move("acme");
  expect([inUse.code, inUse.err]).toEqual([1, expect.stringContaining("platform.sqlite is in use")]);
  await app.end();
  const unknown = await move("globex");
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("has no tenant globex. It has acme.")]);
  expect(await files()).toContain("platform.sqlite");

  const moved = await move("acme");
  expect([moved.code, moved.err]).toEqual([0, ""]);
  expect(moved.out).toMatch(
    /^Copying .*\.sqlite to b\. .*\n\d+ rows are copied, and every row is compared\. .*\nThe cell b serves the tenant\. /,
  );
  expect(moved.out).toContain("Change the map of the router now: acme b.");
  const renamed = "platform.sqlite.moved-acme-to-b";
  expect(await files()).toEqual([renamed]);
  const verified = await runCommand({ DATABASE_URL: url, CELL: "b" }, "verify-audit");
  expect([verified.code, verified.err]).toEqual([0, ""]);

  const again = await move("acme");
  expect([again.code, again.out]).toEqual([0, expect.stringContaining("acme b")]);
  await expect(startOnSqlite()).rejects.toThrow(
    `There is no database ${file}: its tenant has moved to a cell, and the file is ${renamed} now.`,
  );
});
