import { describe, expect, it } from "vitest";
import type { Write } from "../../domain/model/decision.js";
import type { ItemStatus } from "../../domain/model/item.js";
import { changeOf, createFixture, itemRef } from "../../testing/storage-suite/fixture.js";
import { openDatabase } from "./database/open-database.js";
import { createStorageOnDatabase } from "./storage-on-database.js";
import { storedChange } from "./tables/index.js";
import { createWriter } from "./writer.js";

async function openWithHistory() {
  const database = openDatabase(":memory:");
  const { createVault, put, remove, write, clock } = createFixture(createStorageOnDatabase(database));
  await createVault("vault-1", 0);
  await put(itemRef("item-1"), "<secret>", 0);
  await remove(itemRef("item-1"), 1);
  return { database, clock, createVault, put, remove, write };
}

/** Returns a deletion that no rule has decided. */
function deletionOf(itemId: string, version: number) {
  const item: ItemStatus = { ...changeOf(itemId, "", version).item, state: "deleted", shredAt: 1 };
  return { kind: "change", item } as const satisfies Write;
}

describe("immutable rows", () => {
  it.each(["changes", "audit"])("%s is append-only, also for SQL statements", async (table) => {
    const { database } = await openWithHistory();
    const before = database.prepare(`SELECT * FROM ${table}`).all();
    expect(before).toHaveLength(2);
    expect(() => database.exec(`UPDATE ${table} SET at = 0`)).toThrow(`${table} is append-only`);
    expect(() => database.exec(`DELETE FROM ${table}`)).toThrow(`${table} is append-only`);
    expect(database.prepare(`SELECT * FROM ${table}`).all()).toEqual(before);
  });

  it("the seals of the audit trail are append-only", async () => {
    const database = openDatabase(":memory:");
    const storage = createStorageOnDatabase(database);
    await createFixture(storage).createVault();
    await createFixture(storage).put(itemRef("item-1"), "a", 0);
    expect((await storage.sealAudit(9)).rows).toBe(1);
    expect(() => database.exec("UPDATE audit_seals SET digest = ''")).toThrow("audit_seals is append-only");
    expect(() => database.exec("DELETE FROM audit_seals")).toThrow("audit_seals is append-only");
  });

  it("rejects removing an item, because an item id is never reused", async () => {
    const { database } = await openWithHistory();
    expect(() => database.exec("DELETE FROM items")).toThrow("an item id is never reused");
  });

  it.each([
    ["skips a version", changeOf("item-2", "b", 4)],
    ["repeats a version", changeOf("item-2", "b", 2)],
    ["restores a shredded item", changeOf("item-1", "b", 3)],
    ["creates an item without content", { kind: "change", item: changeOf("item-3", "b").item } as const],
    ["repeats a deletion", deletionOf("deleted", 2)],
    ["deletes a deleted item", deletionOf("deleted", 3)],
  ])("rejects a change that %s, whatever the rules decide", async (_, change) => {
    const { database, createVault, put, remove, write } = await openWithHistory();
    await put(itemRef("item-2"), "a", 0);
    await put(itemRef("item-2"), "a2", 1);
    await createVault("vault-1", 30);
    await put(itemRef("deleted"), "a", 0);
    await remove(itemRef("deleted"), 1);
    const before = database.prepare("SELECT * FROM item_states").all();
    await expect(write(change)).rejects.toMatchObject({ name: "StorageError", reason: "unavailable" });
    // Nor does the writer, if the decision was made on other rows.
    const writer = createWriter(database, { madeCheckpoint() {} });
    const error = { reason: "unavailable", cause: { message: "a change does not follow the version in the database" } };
    expect(await writer.commit([{ group: 0, writes: [storedChange(change)] }])).toMatchObject([{ error }]);
    expect(database.prepare("SELECT * FROM item_states").all()).toEqual(before);
  });
});
