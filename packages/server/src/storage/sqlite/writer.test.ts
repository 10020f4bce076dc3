import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createFixture, itemRef, revocationOf } from "../../testing/storage-suite/fixture.js";
import { openDatabase } from "./database/open-database.js";
import { createStorageOnDatabase, type DatabaseStorageOptions } from "./storage-on-database.js";
import { temporaryPath } from "./testing/temporary-path.js";

const unavailable = { name: "StorageError", reason: "unavailable" };

function open(limits?: DatabaseStorageOptions, path = ":memory:") {
  const database = openDatabase(path);
  const storage = createStorageOnDatabase(database, limits);
  return { database, storage, ...createFixture(storage) };
}

describe("group commit", () => {
  it("rejects calls beyond the limit of the queue as unavailable, and accepts calls again afterwards", async () => {
    const { write } = open({ queueLimit: 2 });
    const calls = ["a", "b", "c"].map((key) => write(revocationOf(key)));
    await expect(calls[2]).rejects.toMatchObject(unavailable);
    await Promise.all(calls.slice(0, 2));
    await write(revocationOf("c"));
  });

  it("fails a whole batch as unavailable when its COMMIT fails, and stores nothing of it", async () => {
    const { database, createVault, put, find, write } = open();
    await createVault();
    database.exec(`
      CREATE TABLE parents (id INTEGER PRIMARY KEY);
      CREATE TABLE orphans (parent REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER commit_fails AFTER INSERT ON records WHEN new.key = 'fatal'
      BEGIN INSERT INTO orphans VALUES (1); END`);
    const batch = [put(itemRef("item-1"), "a", 0), write(revocationOf("fatal"))];
    const results = await Promise.allSettled(batch);
    expect(results).toMatchObject(batch.map(() => ({ reason: { ...unavailable, cause: expect.any(Error) } })));
    expect(await find(itemRef("item-1"))).toBeUndefined();
    expect(await put(itemRef("item-1"), "b", 0)).toMatchObject({ sequence: 1 });
  });

  it("fails a whole batch when SQLite rolls the transaction back, and continues with the next batch", async () => {
    const { database, createVault, put, find, write } = open();
    await createVault();
    database.exec(`
      CREATE TRIGGER all_is_lost AFTER INSERT ON records WHEN new.key = 'fatal'
      BEGIN SELECT RAISE(ROLLBACK, 'lost'); END`);
    const batch = [put(itemRef("item-1"), "a", 0), write(revocationOf("fatal")), put(itemRef("item-2"), "a", 0)];
    const results = await Promise.allSettled(batch);
    expect(results).toMatchObject(batch.map(() => ({ reason: { ...unavailable, cause: { message: "lost" } } })));
    expect(await find(itemRef("item-1"))).toBeUndefined();
    expect(await put(itemRef("item-1"), "b", 0)).toMatchObject({ sequence: 1 });
  });

  it("fails a call as unavailable, with the cause, when SQLite rejects its write", async () => {
    const { database, write } = open();
    database.exec(`
      CREATE TRIGGER refused BEFORE INSERT ON records WHEN new.key = 'refused'
      BEGIN SELECT RAISE(ABORT, 'no'); END`);
    const results = await Promise.allSettled([
      write(revocationOf("a")),
      write(revocationOf("refused")),
      write(revocationOf("b")),
    ]);
    expect(results).toMatchObject([
      { status: "fulfilled" },
      { reason: { ...unavailable, cause: { message: "no" } } },
      { status: "fulfilled" },
    ]);
  });

  it("fails its check after a failed write until writes succeed again", async () => {
    const { database, storage, write } = open();
    await storage.check();
    database.exec("PRAGMA query_only = ON");
    await expect(write(revocationOf("a"))).rejects.toMatchObject(unavailable);
    await expect(storage.check()).rejects.toMatchObject(unavailable);
    await expect(storage.check()).rejects.toMatchObject(unavailable);
    database.exec("PRAGMA query_only = OFF");
    await storage.check();
    await write(revocationOf("a"));
  });

  it("fails writes as full while the disk is full, still reads, and writes again when there is space", async () => {
    const { database, storage, createVault, put, find } = open();
    await createVault();
    await put(itemRef("item-1"), "a", 0);
    database.exec("PRAGMA max_page_count = 1");
    const full = { name: "StorageError", reason: "full" };
    await expect(put(itemRef("item-2"), "b".repeat(5000), 0)).rejects.toMatchObject(full);
    expect(await find(itemRef("item-1"))).toMatchObject({ version: 1 });
    expect(await find(itemRef("item-2"))).toBeUndefined();
    database.exec("PRAGMA max_page_count = 100000");
    expect(await put(itemRef("item-2"), "b".repeat(5000), 0)).toMatchObject({ sequence: 2 });
    // Small writes succeed on an almost full disk, too: for 15 s, they do not show that there is room.
    await expect(storage.check()).rejects.toMatchObject(full);
  });

  it("answers what needs no write while the disk is full, an exact retry among it", async () => {
    const { database, createVault, put, remove } = open();
    await createVault();
    await put(itemRef("item-1"), "a", 0);
    const removed = await remove(itemRef("item-1"), 1);
    database.exec("PRAGMA max_page_count = 1");
    await expect(put(itemRef("item-2"), "b".repeat(5000), 0)).rejects.toMatchObject({ reason: "full" });
    // One that writes is in the same batch.
    const written = put(itemRef("item-2"), "b".repeat(5000), 0).catch(({ reason }) => reason);
    const retried = remove(itemRef("item-1"), 1);
    expect(await retried).toMatchObject({ outcome: { ok: true, item: { version: 2 } } });
    expect(await retried).toMatchObject({ outcome: { item: { sequence: removed.sequence } } });
    expect(await remove(itemRef("item-1"), 7)).toMatchObject({ outcome: { ok: false } });
    expect(await written).toBe("full");
  });

  it("acknowledges no call until a failed truncation of the log has succeeded", async () => {
    const path = temporaryPath();
    const { database, storage, createVault, put, remove } = open({}, path);
    await createVault("vault-1", 0);
    await put(itemRef("item-1"), "a", 0);
    await put(itemRef("item-2"), "b", 0);
    // An unfinished read prevents the truncation of the log.
    const reading = database.prepare("SELECT * FROM items").iterate();
    reading.next();
    await expect(remove(itemRef("item-1"), 1)).rejects.toMatchObject(unavailable);
    await expect(put(itemRef("item-3"), "c", 0)).rejects.toMatchObject(unavailable);
    await expect(storage.check()).rejects.toMatchObject(unavailable);
    Array.from(reading);

    // The retry finds the item deleted, and truncates the log.
    expect(await remove(itemRef("item-1"), 1)).toMatchObject({ outcome: { ok: true }, sequence: undefined });
    expect(statSync(`${path}-wal`).size).toBe(0);
    await storage.close();
  });

  it("writes nothing to the log for decisions without writes", async () => {
    const path = temporaryPath();
    const { storage, createVault, put, remove, find } = open({}, path);
    await createVault("vault-1", 0);
    await put(itemRef("item-1"), "a", 0);
    await remove(itemRef("item-1"), 1);
    expect(statSync(`${path}-wal`).size).toBe(0);
    await Promise.all([find(itemRef("item-1")), remove(itemRef("item-1"), 1), remove(itemRef("item-2"), 1)]);
    await storage.check();
    expect(statSync(`${path}-wal`).size).toBe(0);
    await storage.close();
  });
});
