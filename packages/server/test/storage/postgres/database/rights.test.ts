import { describe, expect, it, onTestFinished } from "vitest";
import { beginPostgresEpoch, confirmPostgresDatabase } from "../../../../src/storage/postgres/begin-epoch.js";
import { createPostgresStorage } from "../../../../src/storage/postgres/create-postgres-storage.js";
import { openDatabase } from "../../../../src/storage/postgres/database/database.js";
import {
  migratePostgresDatabase,
  newestVersion,
  PostgresOwnerRequiredError,
} from "../../../../src/storage/postgres/migrate.js";
import { appLogin, asApp, createTestDatabase, runSql } from "../../../../src/storage/postgres/testing/test-database.js";
import { createFixture, itemRef } from "../../../../src/testing/storage-suite/fixture.js";
import { contentKey, openStorage } from "../testing/open-storages.js";

const refused = { code: "42501" };

/** Creates a database in which everything has at least one row. */
async function createUsedDatabase(): Promise<string> {
  const url = await createTestDatabase();
  const storage = await openStorage({ url });
  const { createVault, put } = createFixture(storage);
  await createVault();
  await put(itemRef("item-1"), "a", 0);
  await storage.sealAudit(100);
  return url;
}

describe("what the app's role may not do, so that nobody who has its password changes what happened", () => {
  it.each(["audit", "audit_seals", "changes", "epochs"])(
    "the rows of %s cannot be changed, removed or hidden",
    async (table) => {
      const url = asApp(await createUsedDatabase());
      const column = table === "epochs" ? "number" : table === "changes" ? "sequence" : "position";
      for (const sql of [
        `TRUNCATE ${table}`,
        `DELETE FROM ${table}`,
        `UPDATE ${table} SET ${column} = ${column}`,
        `SELECT FROM ${table} FOR UPDATE`,
        `BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`,
        `DROP TABLE ${table} CASCADE`,
        `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
        `ALTER TABLE ${table} RENAME TO other`,
        `CREATE TRIGGER other BEFORE INSERT ON ${table} EXECUTE FUNCTION reject_change()`,
      ])
        await expect(runSql(url, sql), sql).rejects.toMatchObject(refused);
    },
  );

  it.each(["DROP TABLE", "TRUNCATE"])("nothing removes a month of the audit trail: %s", async (verb) => {
    const url = asApp(await createUsedDatabase());
    const find = "SELECT to_regclass('audit_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')) AS name";
    const [{ name } = {}] = await runSql(url, find);
    await expect(runSql(url, `${verb} ${name}`)).rejects.toMatchObject(refused);
  });

  it.each([
    ["an epoch", "INSERT INTO epochs VALUES (9, 0, 0, 0, 0)"],
    ["the schema version", "UPDATE schema_version SET version = 1"],
    ["an item id, by its removal", "DELETE FROM items"],
    ["a vault, by its removal", "DELETE FROM vaults"],
    ["a record, by its removal", "DELETE FROM records"],
    ["a function of the owner", "ALTER FUNCTION platform_purge(bigint, integer) SECURITY INVOKER"],
    [
      "the functions of the app",
      "CREATE OR REPLACE FUNCTION platform_now() RETURNS double precision LANGUAGE sql AS 'SELECT 0.0::float8'",
    ],
    ["the tables of the app", "CREATE TABLE other (id integer)"],
    ["the position of the next audit row", "SELECT setval('audit_positions', 1)"],
    ["its own role", "SET ROLE platform"],
  ])("nothing changes %s", async (_, sql) => {
    await expect(runSql(asApp(await createUsedDatabase()), sql)).rejects.toMatchObject(refused);
  });

  it("a table of the caller does not stand in for one of the owner's functions", async () => {
    const url = await createUsedDatabase();
    const database = openDatabase({ url: asApp(url), connections: 1, timeout: 10_000 });
    onTestFinished(() => database.close());
    await database.call("CREATE TEMP TABLE records (collection text, key text, expires_at bigint)");
    await database.call("INSERT INTO pg_temp.records VALUES ('c', 'k', 0)");
    await database.call("SET search_path = pg_temp, public");
    expect(await database.call("SELECT public.platform_purge(1000, 10)")).toBe(0);
    expect(await database.call("SELECT key FROM pg_temp.records")).toBe("k");
  });

  it("no other role may purge or add months", async () => {
    const url = await createUsedDatabase();
    await runSql(url, "CREATE ROLE passer_by LOGIN").catch(() => {});
    const other = new URL(url);
    other.username = "passer_by";
    for (const sql of ["SELECT platform_purge(1, 1)", "SELECT platform_create_audit_months()", "SELECT FROM audit"])
      await expect(runSql(other.href, sql), sql).rejects.toMatchObject(refused);
  });
});

describe("who creates and migrates the tables", () => {
  it("the app's role starts on tables that the owner has created, and purges and adds months with the owner's functions", async () => {
    const owner = await createTestDatabase({ migrated: false });
    expect(await migratePostgresDatabase({ url: owner })).toEqual({ version: newestVersion });
    const months =
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit'::regclass ORDER BY 1";
    const created = await runSql(owner, months);
    const { name } = created[5] ?? {};
    await runSql(owner, `DROP TABLE ${name}`);
    const storage = await openStorage({ url: asApp(owner) });
    expect(await storage.purge(1, 10)).toBe(0);
    expect(await runSql(owner, months)).toEqual(created);
    await storage.check();
  });

  it("the app's role is told to let the owner create or migrate them, and changes nothing", async () => {
    const owner = await createTestDatabase({ migrated: false });
    const start = createPostgresStorage({ url: asApp(owner), contentKey });
    await expect(start).rejects.toThrow(PostgresOwnerRequiredError);
    await expect(start).rejects.toThrow(
      /has no tables, this program needs version 106.*Run the command migrate-database/,
    );
    expect(await runSql(owner, "SELECT to_regclass('schema_version') AS found")).toEqual([{ found: null }]);
    await expect(migratePostgresDatabase({ url: asApp(owner) })).rejects.toThrow(PostgresOwnerRequiredError);
  });

  it("a role that gets its rights later gets them by the same command", async () => {
    const owner = await createUsedDatabase();
    await runSql(owner, "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM platform_app");
    await expect(runSql(asApp(owner), "SELECT FROM vaults")).rejects.toMatchObject(refused);
    await migratePostgresDatabase({ url: owner });
    expect(await runSql(asApp(owner), "SELECT vault_id FROM vaults")).toHaveLength(1);
  });

  it.each([
    ["begin an epoch", (url: string) => beginPostgresEpoch({ url, now: 1 })],
    ["confirm a database", (url: string) => confirmPostgresDatabase({ url, now: 1 })],
    ["give rights", (url: string) => migratePostgresDatabase({ url })],
  ])("only the owner can %s", async (_, act) => {
    const url = asApp(await createTestDatabase());
    await expect(act(url)).rejects.toThrow("Only the role that owns the tables");
  });

  it("a single role that owns the database needs no other one", async () => {
    const url = await createTestDatabase();
    await runSql(url, `REVOKE ALL ON ALL TABLES IN SCHEMA public FROM platform_app, ${appLogin}`);
    const storage = await openStorage({ url });
    await storage.check();
  });
});
