import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { contentOf, createFixture, itemRef } from "../../../testing/storage-suite/fixture.js";
import { createSqliteStorage } from "../create-sqlite-storage.js";
import { createStorageOnDatabase } from "../storage-on-database.js";
import { contentChecksum } from "../tables/item-row.js";
import { temporaryPath } from "../testing/temporary-path.js";
import { integer } from "./columns.js";
import { migrate, migrations, newestVersion, schemaVersion } from "./migrate.js";
import { openDatabase } from "./open-database.js";
import {
  DatabaseNotCreatedError,
  DatabaseNotUpgradedError,
  DatabaseTooNewError,
  DatabaseTooOldError,
} from "./open-errors.js";

function versionOf(database: DatabaseSync): number {
  return integer(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
}

/** Returns the names of the tables whose names begin with "new_". */
function newTablesOf(database: DatabaseSync): unknown[] {
  const select = "SELECT name FROM sqlite_schema WHERE name LIKE 'new\\_%' ESCAPE '\\' ORDER BY name";
  return database
    .prepare(select)
    .all()
    .map(({ name }) => name);
}

describe("the schema of a database", () => {
  it("is created once, and does not change when the database is opened again", async () => {
    const path = temporaryPath();
    const schemaOf = () => {
      const database = new DatabaseSync(path);
      const schema = database.prepare("SELECT * FROM sqlite_schema").all();
      expect(versionOf(database)).toBe(newestVersion);
      database.close();
      return schema;
    };
    await createSqliteStorage({ path }).close();
    const created = schemaOf();
    await createSqliteStorage({ path }).close();
    expect(schemaOf()).toEqual(created);
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
    expect(database.prepare("SELECT * FROM sqlite_schema").all()).toEqual([]);
    database.close();
  });

  it.each([
    ["newer", 4711, (path: string) => new DatabaseTooNewError(path, 4711, newestVersion)],
    ["development", schemaVersion - 1, (path: string) => new DatabaseTooOldError(path, schemaVersion - 1)],
    ["development", 1, (path: string) => new DatabaseTooOldError(path, 1)],
  ])("of a %s version (%i) is rejected, and not changed", (_, version, errorOf) => {
    const path = temporaryPath();
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
    expect(() => createSqliteStorage({ path })).toThrow(errorOf(path));
    const reopened = new DatabaseSync(path);
    expect(versionOf(reopened)).toBe(version);
    expect(reopened.prepare("SELECT * FROM sqlite_schema").all()).toEqual([]);
    reopened.close();
  });
});

describe("a migration: forward only, in one transaction", () => {
  it("adds a column, and keeps the rows", async () => {
    const path = temporaryPath();
    const before = createStorageOnDatabase(openDatabase(path));
    await createFixture(before).createVault();
    await createFixture(before).put(itemRef("item-1"), "kept", 0);
    await before.close();
    const addColumn = "ALTER TABLE items ADD COLUMN note TEXT NOT NULL DEFAULT 'none'";
    const steps = [...migrations, addColumn];
    await createStorageOnDatabase(openDatabase(path, steps)).close();
    const database = openDatabase(path, steps);
    expect(versionOf(database)).toBe(newestVersion + 1);
    expect(database.prepare("SELECT item_id, note FROM items").all()).toEqual([{ item_id: "item-1", note: "none" }]);
    const storage = createStorageOnDatabase(database);
    expect(await createFixture(storage).find(itemRef("item-1"))).toMatchObject(contentOf("kept"));
    await storage.close();
  });

  it("adds the earlier contents: an item of the version before has none, and gets them from its next change on", async () => {
    const path = temporaryPath();
    const before = createStorageOnDatabase(openDatabase(path));
    await createFixture(before).createVault();
    for (const [version, mark] of ["lost", "kept"].entries())
      await createFixture(before).put(itemRef("item-1"), mark, version);
    await before.close();
    const database = new DatabaseSync(path);
    database.exec(`DROP TABLE earlier_contents; PRAGMA user_version = ${schemaVersion + 1}`);
    database.close();
    const storage = createStorageOnDatabase(openDatabase(path));
    const { put, earlier } = createFixture(storage);
    expect(await earlier(itemRef("item-1"))).toEqual({ ok: true, contents: [] });
    await put(itemRef("item-1"), "new", 2);
    expect(await earlier(itemRef("item-1"))).toMatchObject({ ok: true, contents: [contentOf("kept")] });
    await storage.close();
  });

  it("keeps a content that has blanks around its JSON, and the spelling of a development version", async () => {
    const path = temporaryPath();
    const before = createStorageOnDatabase(openDatabase(path));
    await createFixture(before).createVault();
    await createFixture(before).put(itemRef("item-1"), "kept", 0);
    await before.close();
    const { titleHash, encryptedPayload, wrappedKeys } = contentOf("kept");
    const { nonce, aad, ciphertext } = encryptedPayload;
    const stored = `  ${JSON.stringify({ titleHash, nonce, aad, ciphertext, wrappedKeys })}  `;
    const database = new DatabaseSync(path);
    database.exec(`
      DROP TABLE contents; DROP TABLE earlier_contents; PRAGMA user_version = ${schemaVersion};
      CREATE TABLE contents (item INTEGER PRIMARY KEY REFERENCES items, content TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT`);
    database.prepare("INSERT INTO contents VALUES (1, ?, ?)").run(stored, contentChecksum(1, stored));
    database.close();
    const storage = createStorageOnDatabase(openDatabase(path));
    expect(await createFixture(storage).find(itemRef("item-1"))).toMatchObject(contentOf("kept"));
    expect(await storage.verify()).toMatchObject({});
    await storage.close();
  });

  it("keeps the steps before a failed one, and nothing of the failed one", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, "x", []);
    const failing = ["CREATE TABLE new_a (x)", "CREATE TABLE new_b (x); CREATE TABLE new_a (x)"];
    expect(() => migrate(database, "x", failing)).toThrow();
    expect(newTablesOf(database)).toEqual(["new_a"]);
    expect(versionOf(database)).toBe(schemaVersion + 1);
    migrate(database, "x", ["", "CREATE TABLE new_b (x)"]);
    expect(newTablesOf(database)).toEqual(["new_a", "new_b"]);
    expect(versionOf(database)).toBe(schemaVersion + 2);
  });

  it("fails with DatabaseNotUpgradedError when the disk is full, and does not change the database", () => {
    const database = new DatabaseSync(":memory:");
    migrate(database, "x", []);
    database.exec("PRAGMA max_page_count = 1");
    expect(() => migrate(database, "x", ["CREATE TABLE new_a (x)"])).toThrow(new DatabaseNotUpgradedError("x"));
    expect(newTablesOf(database)).toEqual([]);
    expect(versionOf(database)).toBe(schemaVersion);
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
});
