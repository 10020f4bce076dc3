import { readFileSync } from "node:fs";
import { beginPostgresEpoch, migratePostgresDatabase } from "@platform-rpc/server/postgres";
import pg from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { startTestApp } from "../src/testing/start-test-app.js";
import { newTemporaryFolder } from "../src/testing/temporary-folder.js";

const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), "utf8");
const [, statements = ""] = /^```sql\n(CREATE ROLE platform_owner.*?)```/ms.exec(read("operate/install.md")) ?? [];
const [, replication = ""] = /^```sql\n(CREATE ROLE backup.*?)```/ms.exec(read("backup.md")) ?? [];
const server = inject("postgresUrl") ?? "";

async function run(url: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

it("the app runs with the roles and the database of docs/operate/install.md", async () => {
  // A database cannot be created in the transaction of a script.
  const each = statements.replaceAll(/\bplatform\b/g, "installed").replaceAll("platform_owner", "installed_owner");
  onTestFinished(async () => {
    await run(server, "DROP DATABASE IF EXISTS installed");
    await run(server, "DROP ROLE IF EXISTS installed, installed_owner, backup");
  });
  // template1 of this server already has the tables of its superuser.
  const empty = each.replace(/(?=;\n$)/, " TEMPLATE template0");
  for (const statement of empty.split(/(?<=;)\n/)) {
    // The tests of the server share it.
    if (!statement.startsWith("CREATE ROLE platform_app")) await run(server, statement);
  }
  const url = new URL(server);
  url.username = "installed";
  url.pathname = "/installed";
  const owner = new URL(url);
  owner.username = "installed_owner";
  await migratePostgresDatabase({ url: owner.href });
  const folder = await newTemporaryFolder();
  onTestFinished(folder.remove);

  const app = await startTestApp({ DATA_DIR: folder.path, DATABASE_URL: url.href });
  await app.admin("VaultAdminService/CreateVault", { tenantId: "t-1", vaultId: "v-1" });
  const { publicUrl } = app;
  expect((await fetch(`${publicUrl}/readyz`)).status).toBe(200);
  const owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'";
  expect(await run(url.href, owners)).toEqual([{ tableowner: "installed_owner" }]);
  await app.end();
  expect(await beginPostgresEpoch({ url: owner.href, now: Date.now() })).toMatchObject({ number: 1 });
});

it("the role of docs/backup.md may copy the server", async () => {
  onTestFinished(() => run(server, "DROP ROLE IF EXISTS backup").then(() => {}));
  await run(server, replication);
  const rights = "SELECT rolreplication, rolcanlogin, rolsuper FROM pg_roles WHERE rolname = 'backup'";
  expect(await run(server, rights)).toEqual([{ rolreplication: true, rolcanlogin: true, rolsuper: false }]);
});
