import { readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { contentOf, createFixture, itemRef } from "../../testing/storage-suite/fixture.js";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { migrations } from "./migrations/index.js";
import { openDatabase } from "./open-database.js";
import { DatabaseDamagedError, DatabaseForeignError } from "./open-errors.js";
import { createStorageOnDatabase } from "./storage-on-database.js";
import { temporaryPath } from "./testing/temporary-path.js";

function foreignDatabase(sql: string): string {
  const path = temporaryPath();
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return path;
}

describe("the file of a database", () => {
  it.each([
    ["another application id", "PRAGMA application_id = 252006674"],
    ["another application id and tables", "PRAGMA application_id = 1; CREATE TABLE vaults (x)"],
    ["no application id, and tables of another program", "CREATE TABLE moz_places (x); PRAGMA user_version = 1"],
    ["no application id, and one of our tables", "CREATE TABLE vaults (x)"],
  ])("is rejected and not changed when it has %s", (_, sql) => {
    const path = foreignDatabase(sql);
    const before = readFileSync(path);
    const { mode } = statSync(path);
    expect(() => createSqliteStorage({ path })).toThrow(new DatabaseForeignError(path));
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(path).mode).toBe(mode);
  });

  it("is rejected and not changed when it is not a database", () => {
    const path = temporaryPath();
    writeFileSync(path, "not a database, but a text that is long enough to be taken for the header of one".repeat(20));
    expect(() => createSqliteStorage({ path })).toThrow(DatabaseDamagedError);
    expect(readFileSync(path, "utf8")).toMatch(/^not a database/);
  });

  it("gets the application id when an older version of this program wrote it, and keeps its content", async () => {
    const path = temporaryPath();
    const database = new DatabaseSync(path);
    const json = (mark: string) => {
      const { titleHash, encryptedPayload, wrappedKeys } = contentOf(mark);
      const { nonce, aad, ciphertext } = encryptedPayload;
      return JSON.stringify({ titleHash, nonce, aad, ciphertext, wrappedKeys });
    };
    database.exec(`PRAGMA page_size = 1024; ${migrations.slice(0, 3).join(";")}; PRAGMA user_version = 3;
      INSERT INTO vaults VALUES (1, 'tenant-1', 'vault-1', 30, 0, 2)`);
    const insertItem = database.prepare(
      "INSERT INTO items VALUES (?, 1, ?, 1, ?, 'live', 'login', 1, NULL, 'A256GCM', 3)",
    );
    const insertContent = database.prepare("INSERT INTO contents VALUES (?, ?)");
    const marks = ["short", "€".repeat(5000)];
    for (const [index, mark] of marks.entries()) {
      insertItem.run(index + 1, `item-${index}`, index + 1);
      insertContent.run(index + 1, `    ${json(mark)}  `);
    }
    database.close();

    const opened = openDatabase(path);
    expect(opened.prepare("PRAGMA application_id").get()).toEqual({ application_id: 0x504c4154 });
    const storage = createStorageOnDatabase(opened);
    const { find, put } = createFixture(storage);
    for (const [index, mark] of marks.entries()) {
      expect(await find(itemRef(`item-${index}`))).toMatchObject(contentOf(mark));
    }
    await put(itemRef("item-0"), "new", 1);
    await storage.close();
    await createSqliteStorage({ path }).close();
  });
});
