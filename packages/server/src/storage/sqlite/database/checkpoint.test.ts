import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFixture, itemRef } from "../../../testing/storage-suite/fixture.js";
import { createStorageOnDatabase } from "../storage-on-database.js";
import { temporaryPath } from "../testing/temporary-path.js";
import { createCheckpoints } from "./checkpoint.js";
import { integer } from "./columns.js";
import { openDatabase, pageBytes } from "./open-database.js";

function open() {
  const path = temporaryPath();
  const database = openDatabase(path);
  database.exec("CREATE TABLE numbers (number); PRAGMA wal_checkpoint(TRUNCATE)");
  const insert = database.prepare("INSERT INTO numbers VALUES (1)");
  const logSize = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  const copied = () => integer(logSize.get() ?? {}, "checkpointed");
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return { path, database, insert, copied };
}

function rethrow(error: unknown): never {
  throw error;
}

describe("a checkpoint", () => {
  it("is made after the batch whose commit reaches the limit, not in its commit", async () => {
    const { database, insert, copied } = open();
    const checkpoints = createCheckpoints(database, { pages: 3, made() {}, failed: rethrow });
    for (let commit = 1; commit <= 3; commit += 1) {
      insert.run();
      checkpoints.committed();
      expect(copied()).toBe(0);
      await setImmediate();
      expect(copied()).toBe(commit < 3 ? 0 : 3);
    }
  });

  it("keeps the log short under steady commits", async () => {
    const { path, database } = open();
    const storage = createStorageOnDatabase(database, { checkpointPages: 50 });
    const { createVault, put } = createFixture(storage);
    await createVault();
    for (let version = 0; version < 100; version += 1) await put(itemRef("item-1"), "a".repeat(500), version);
    const pagesOfCommit = 50;
    expect(statSync(`${path}-wal`).size).toBeLessThan((50 + pagesOfCommit) * (pageBytes + 24));
    await storage.close();
  });

  it("reports its error, and is repeated after the next batch", async () => {
    const { database, insert, copied } = open();
    const errors: unknown[] = [];
    const checkpoints = createCheckpoints(database, { pages: 1, made() {}, failed: (error) => errors.push(error) });
    insert.run();
    checkpoints.committed();
    // SQLite makes no checkpoint in a transaction.
    database.exec("BEGIN IMMEDIATE; DELETE FROM numbers");
    await setImmediate();
    expect(errors).toMatchObject([{ code: "ERR_SQLITE_ERROR" }]);
    database.exec("ROLLBACK");
    checkpoints.committed();
    await setImmediate();
    expect(errors).toHaveLength(1);
    expect(copied()).toBe(1);
  });

  it("is not made once the storage is closed", async () => {
    const { database, insert } = open();
    const checkpoints = createCheckpoints(database, { pages: 1, made() {}, failed: rethrow });
    insert.run();
    checkpoints.committed();
    checkpoints.close();
    database.close();
    await setImmediate();
  });
});
