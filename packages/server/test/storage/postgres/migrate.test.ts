import { describe, expect, it, onTestFinished } from "vitest";
import { createPostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";
import { openDatabase } from "../../../src/storage/postgres/database/database.js";
import {
  migrate,
  migrations,
  newestVersion,
  PostgresSchemaTooNewError,
  PostgresSchemaTooOldError,
  schemaVersion,
} from "../../../src/storage/postgres/migrate.js";
import { createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { contentOf, createFixture, itemRef } from "../../../src/testing/storage-suite/fixture.js";
import { contentKey, openStorage } from "./testing/open-storages.js";

function open(url: string, timeout = 10_000) {
  const database = openDatabase({ url, connections: 2, timeout });
  onTestFinished(() => database.close());
  return database;
}

const released = Array.from({ length: migrations.length + 1 }, (_, step) => schemaVersion + step);

const versionsIn = async (url: string) =>
  (await runSql(url, "SELECT version FROM schema_version ORDER BY version")).map(({ version }) => version);

describe("the schema of a database", () => {
  it("is created once, however many processes start at the same time", async () => {
    const url = await createTestDatabase({ migrated: false });
    await Promise.all(Array.from({ length: 6 }, () => openStorage({ url })));
    expect(await versionsIn(url)).toEqual(released);
  });

  it("has no function whose statements PostgreSQL compiles: a scan that is off costs enough for it, which takes a second", async () => {
    const functions = await runSql(
      await createTestDatabase(),
      "SELECT proname FROM pg_proc WHERE 'enable_seqscan=off' = ANY (proconfig) AND NOT 'jit=off' = ANY (proconfig)",
    );
    expect(functions).toEqual([]);
  });

  it.each([
    ["newer", 1000, new PostgresSchemaTooNewError(1000, newestVersion)],
    ["development", 15, new PostgresSchemaTooOldError(15)],
  ])("of a %s version is rejected, and not changed", async (_, version, error) => {
    const url = await createTestDatabase({ migrated: false });
    await runSql(
      url,
      `CREATE TABLE schema_version (version integer PRIMARY KEY, at timestamptz NOT NULL);
       INSERT INTO schema_version VALUES (${version}, now())`,
    );
    await expect(createPostgresStorage({ url, contentKey })).rejects.toThrow(error);
    expect(await versionsIn(url)).toEqual([version]);
    expect(await runSql(url, "SELECT to_regclass('vaults') AS vaults")).toEqual([{ vaults: null }]);
  });
});

describe("a migration: forward only, in one transaction", () => {
  it("adds a column once, however many processes start at the same time, and keeps the rows", async () => {
    const url = await createTestDatabase();
    const { createVault, put, find } = createFixture(await openStorage({ url }));
    await createVault();
    await put(itemRef("item-1"), "kept", 0);
    const addColumn = "ALTER TABLE items ADD COLUMN note text NOT NULL DEFAULT 'none'";
    await Promise.all(Array.from({ length: 4 }, () => migrate(open(url), [...migrations, addColumn])));
    expect(await versionsIn(url)).toEqual([...released, newestVersion + 1]);
    expect(await runSql(url, "SELECT item_id, note FROM items")).toEqual([{ item_id: "item-1", note: "none" }]);
    // A process of the version before continues.
    expect(await find(itemRef("item-1"))).toMatchObject(contentOf("kept"));
    expect(await put(itemRef("item-2"), "new", 0)).toMatchObject({ sequence: 2 });
  });

  it("adds the earlier contents: an item of the version before has none, and gets them from its next change on", async () => {
    const url = await createTestDatabase();
    const before = createFixture(await openStorage({ url }));
    await before.createVault();
    for (const [version, mark] of ["lost", "kept"].entries()) await before.put(itemRef("item-1"), mark, version);
    await runSql(url, `DROP TABLE earlier_contents; DELETE FROM schema_version WHERE version > ${schemaVersion}`);
    const { put, earlier } = createFixture(await openStorage({ url }));
    expect(await versionsIn(url)).toEqual(released);
    expect(await earlier(itemRef("item-1"))).toEqual({ ok: true, contents: [] });
    await put(itemRef("item-1"), "new", 2);
    expect(await earlier(itemRef("item-1"))).toMatchObject({ ok: true, contents: [contentOf("kept")] });
  });

  it("that fails leaves nothing behind, and is tried again by the next start", async () => {
    const url = await createTestDatabase();
    const database = open(url);
    await expect(migrate(database, [...migrations, "CREATE TABLE first (id integer)", "not SQL"])).rejects.toThrow();
    expect(await runSql(url, "SELECT to_regclass('first') AS first")).toEqual([{ first: null }]);
    await migrate(database, [...migrations, "CREATE TABLE first (id integer)", "CREATE TABLE second (id integer)"]);
    expect(await versionsIn(url)).toEqual([...released, newestVersion + 1, newestVersion + 2]);
  });

  it("may take longer than the timeout of statements", async () => {
    const url = await createTestDatabase();
    // The other statements of the migration must not reach it on a busy machine.
    await migrate(open(url, 2_000), [...migrations, "SELECT pg_sleep(2.5)"]);
    expect(await versionsIn(url)).toContain(newestVersion + 1);
  });

  it("does not wait for a statement that holds a lock for longer than its limit, and leaves nothing behind", async () => {
    const url = await createTestDatabase();
    const slow = runSql(url, "BEGIN; LOCK TABLE items; SELECT pg_sleep(5); COMMIT");
    await expect
      .poll(() => runSql(url, "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted"))
      .not.toEqual([]);
    const database = open(url);
    const steps = [...migrations, "CREATE TABLE third (id integer); ALTER TABLE items ADD COLUMN note text"];
    await expect(migrate(database, steps)).rejects.toMatchObject({ cause: { code: "55P03" } });
    expect(await runSql(url, "SELECT to_regclass('third') AS third")).toEqual([{ third: null }]);
    await slow;
    await migrate(database, steps);
  });
});
