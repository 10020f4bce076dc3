import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { contentOf, createFixture, itemRef, tenantId } from "../../testing/storage-suite/fixture.js";
import { get } from "../../testing/storage-suite/records.js";
import { withoutCodeGrant } from "../../testing/without-code-grant.js";
import { integer } from "./columns.js";
import { contentChecksum } from "./content-checksum.js";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { migrate } from "./migrate.js";
import { migrations } from "./migrations/index.js";
import { DatabaseNotCreatedError, DatabaseNotUpgradedError, DatabaseTooNewError } from "./open-errors.js";
import { createOldDatabase } from "./power-cut/old-database.js";
import { writeFiles } from "./power-cut/record.js";
import { defineFunctions } from "./sql-functions.js";
import { contentJson } from "./tables/item-row.js";
import { createOauthClients } from "./tables/oauth-clients.js";
import { temporaryPath } from "./testing/temporary-path.js";

const steps = ["CREATE TABLE a (x)", "CREATE TABLE b (x)", "CREATE TABLE c (x)"];

function versionOf(database: DatabaseSync): number {
  return integer(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
}

function tablesOf(database: DatabaseSync): unknown[] {
  return database
    .prepare("SELECT name FROM sqlite_schema ORDER BY name")
    .all()
    .map(({ name }) => name);
}

describe("migrations: forward only, those of an older database each in a separate transaction", () => {
  it("migrates an empty database to the newest version, and does not change a current one", async () => {
    const path = temporaryPath();
    await createSqliteStorage({ path }).close();
    await createSqliteStorage({ path }).close();
    const database = new DatabaseSync(path);
    expect(versionOf(database)).toBe(migrations.length);
    database.close();
  });

  it("continues from the version of the database", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, "x", steps.slice(0, 1));
    expect(tablesOf(database)).toEqual(["a"]);
    migrate(database, "x", steps);
    expect(tablesOf(database)).toEqual(["a", "b", "c"]);
    expect(versionOf(database)).toBe(3);
  });

  it("keeps the steps before a failed one, and nothing of the failed one", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, "x", steps.slice(0, 1));
    const failing = [...steps.slice(0, 2), "CREATE TABLE c (x); CREATE TABLE a (x)"];
    expect(() => migrate(database, "x", failing)).toThrow();
    expect(tablesOf(database)).toEqual(["a", "b"]);
    expect(versionOf(database)).toBe(2);
  });

  it("fails with DatabaseNotCreatedError when the disk is too full for a new database, which stays empty", () => {
    const path = temporaryPath();
    const { exec } = DatabaseSync.prototype;
    vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, sql) {
      if (sql === "BEGIN IMMEDIATE") exec.call(this, "PRAGMA max_page_count = 9");
      exec.call(this, sql);
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(() => createSqliteStorage({ path })).toThrow(new DatabaseNotCreatedError(path));
    expect(() => createSqliteStorage({ path })).toThrow(new DatabaseNotCreatedError(path));
    const database = new DatabaseSync(path);
    expect(tablesOf(database)).toEqual([]);
    database.close();
  });

  it("fails with DatabaseNotUpgradedError when the disk is full, and does not change the database", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, "x", steps.slice(0, 1));
    database.exec("PRAGMA max_page_count = 2");
    expect(() => migrate(database, "x", steps)).toThrow(new DatabaseNotUpgradedError("x"));
    expect(tablesOf(database)).toEqual(["a"]);
    expect(versionOf(database)).toBe(1);
  });

  it("may replace a table that others refer to, and enforces foreign keys again afterwards", () => {
    const database = new DatabaseSync(":memory:");
    const parents = `
      CREATE TABLE parents (id INTEGER PRIMARY KEY); INSERT INTO parents VALUES (1);
      CREATE TABLE children (parent REFERENCES parents); INSERT INTO children VALUES (1)`;
    const replaced = `
      CREATE TABLE new_parents (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO new_parents (id) SELECT id FROM parents;
      DROP TABLE parents; ALTER TABLE new_parents RENAME TO parents`;
    migrate(database, "x", [parents, replaced]);
    expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
    expect(() => database.exec("INSERT INTO children VALUES (2)")).toThrow("FOREIGN KEY constraint failed");
  });

  it("keeps the history of an older database, which continues after it", async () => {
    const path = temporaryPath();
    writeFiles(dirname(path), createOldDatabase(600).files);
    const storage = createSqliteStorage({ path });
    const list = async (afterSequence: number) => {
      const query = { tenantId, vaultId: "kept", afterSequence, limit: 1000 };
      return (await storage.listChanges(query)).items.map(({ sequence }) => sequence);
    };
    const all = Array.from({ length: 600 }, (_, index) => index + 1);
    expect(await list(0)).toEqual(all);
    await createFixture(storage).put(itemRef("old-7", "kept"), "new", 1);
    expect(await list(0)).toEqual([...all.filter((sequence) => sequence !== 7), 601]);
    expect(await list(599)).toEqual([600, 601]);
    await storage.close();
  });

  it("does not know who registered the OAuth clients of an older database, which have no redirect URI", () => {
    const database = new DatabaseSync(":memory:");
    defineFunctions(database);
    migrate(database, "x", migrations.slice(0, 8));
    database.exec("INSERT INTO oauth_clients VALUES ('t-1', 'c-1', 'Agent', '[]', 1)");
    migrate(database, "x");
    const registered = { name: "Agent", registeredAt: 0, registeredBy: "" };
    expect(createOauthClients(database).find("t-1", "c-1")).toMatchObject({ ...registered, ...withoutCodeGrant });
    const replaced = {
      tenantId: "t-1",
      oauthClientId: "c-1",
      name: "New",
      allowedOperations: [],
      ...withoutCodeGrant,
      enabled: true,
    };
    createOauthClients(database).save({ ...replaced, registeredAt: 5, registeredBy: "admin-1" });
    expect(createOauthClients(database).find("t-1", "c-1")).toMatchObject({ ...registered, name: "New" });
  });

  it("adds checksums to the records of an older database", async () => {
    const path = temporaryPath();
    const database = new DatabaseSync(path);
    defineFunctions(database);
    migrate(database, path, migrations.slice(0, 10));
    database.exec("INSERT INTO records VALUES ('session', 'key-1', 't-1', 'p-1', '', '{\"a\":1}', 3, 1, NULL)");
    database.close();
    const storage = createSqliteStorage({ path });
    expect(await get(storage, "key-1", 0, "session")).toMatchObject({ key: "key-1", value: '{"a":1}', revision: 3 });
    await storage.verify();
    await storage.close();
  });

  it("keeps the deletions of an older database: they can be restored, and are due for shredding", async () => {
    const path = temporaryPath();
    const database = new DatabaseSync(path);
    defineFunctions(database);
    migrate(database, path, migrations.slice(0, 11));
    database.exec(`
      INSERT INTO vaults (id, tenant_id, vault_id, retention_days, access_revision, sequence, last_change)
      VALUES (1, '${tenantId}', 'vault-1', 30, 0, 5, 5);
      INSERT INTO items VALUES
        (1, 1, 'live', 1, 1, 'live', 'login', 10, NULL, 'A256GCM', 3),
        (2, 1, 'deleted', 2, 4, 'deleted', 'login', 40, 9e12, 'A256GCM', 3),
        (3, 1, 'shredded', 2, 5, 'shredded', 'login', 50, NULL, 'A256GCM', 3);
      INSERT INTO changes VALUES
        (1, 1, 1, 1, 1, 'live', 10, NULL), (2, 1, 2, 2, 1, 'live', 20, 1), (3, 1, 3, 3, 1, 'live', 30, 2),
        (4, 1, 4, 2, 2, 'deleted', 40, 3), (5, 1, 5, 3, 2, 'shredded', 50, 4)`);
    for (const item of [1, 2]) {
      const stored = contentJson(contentOf(`item-${item}`)).padEnd(1024);
      const insert = database.prepare("INSERT INTO contents VALUES (?, ?, ?)");
      insert.run(item, stored, contentChecksum(item, "login", "A256GCM", 3, stored));
    }
    database.close();

    const storage = createSqliteStorage({ path });
    const { find, restore } = createFixture(storage);
    expect(await find(itemRef("live"))).toMatchObject({ version: 1, sequence: 1, state: "live", updatedAt: 10 });
    expect(await find(itemRef("deleted"))).toMatchObject({
      version: 2,
      sequence: 4,
      state: "deleted",
      updatedAt: 40,
      shredAt: 9e12,
    });
    expect(await find(itemRef("shredded"))).toMatchObject({
      version: 2,
      sequence: 5,
      state: "shredded",
      updatedAt: 50,
    });
    expect(await storage.listShreddable(9e12, 9)).toEqual([itemRef("deleted")]);
    const { items } = await storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 });
    expect(items.map(({ itemId, state }) => [itemId, state])).toEqual([
      ["live", "live"],
      ["deleted", "deleted"],
      ["shredded", "shredded"],
    ]);
    expect(await restore(itemRef("deleted"), 2)).toMatchObject({ outcome: { ok: true }, sequence: 6 });
    expect(await storage.listShreddable(9e12, 9)).toEqual([]);
    await storage.close();
  });

  it("rejects a database of a newer version, and does not change it", () => {
    const path = temporaryPath();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 4711");
    database.close();
    const newest = migrations.length;
    expect(() => createSqliteStorage({ path })).toThrow(new DatabaseTooNewError(path, 4711, newest));
    const reopened = new DatabaseSync(path);
    expect(versionOf(reopened)).toBe(4711);
    expect(tablesOf(reopened)).toEqual([]);
    reopened.close();
  });
});
