import { chmodSync, readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { refOf } from "../../../src/ports/storage.js";
import { createSqliteStorage } from "../../../src/storage/sqlite/create-sqlite-storage.js";
import { DatabaseInUseError } from "../../../src/storage/sqlite/database/open-errors.js";
import { storages } from "../../../src/storage/sqlite/testing/storages.js";
import { temporaryPath } from "../../../src/storage/sqlite/testing/temporary-path.js";
import { createFixture, itemRef, revocationOf } from "../../../src/testing/storage-suite/fixture.js";
import { commitWrites } from "../../../src/testing/storage-suite/rules.js";
import { startChild } from "./testing/child-process.js";

/** The ways of `open-child.ts` to open a storage, by `where`. */
const ways: Readonly<Record<string, string>> = {
  "in the same thread": "storage",
  "with its writer in a thread": "storage in its own thread",
};

describe.each(storages)("a database file belongs to one storage, $where", ({ where, openStorage }) => {
  it.each(Object.values(ways))(
    "fails a second process (%s) at once with the path of the file and what to do",
    async (way) => {
      const path = temporaryPath();
      const storage = await openStorage({ path });
      const second = startChild("./open-child.ts", path, way);
      await second.ended();
      expect(second.output()).toBe(
        `DatabaseInUseError: The database file ${path} is in use by another process, and only one process at a time can ` +
          "serve a database. Stop that process, or give this one another data directory.\n",
      );
      await expect(storage.check()).resolves.toBeUndefined();
      await storage.close();
    },
  );

  it.each([
    ["backup", "DatabaseInUseError"],
    ["restore", "DatabaseInUseError"],
    ["reader", "Error: database is locked"],
    ["reader of the same kind", "Error: database is locked"],
  ])("fails another process that would use it for a %s, also while it writes", async (way, error) => {
    const path = temporaryPath();
    const storage = await openStorage({ path });
    const { createVault, put, find } = createFixture(storage);
    await createVault();
    await storage.backUp(`${path}.old`);
    const other = startChild("./open-child.ts", path, way);
    let ended = false;
    const end = other.ended().then(() => {
      ended = true;
    });
    let version = 0;
    for (; !ended; version += 1) await put(itemRef("item-1"), "a".repeat(5000), version);
    await end;
    expect(other.output()).toContain(error);
    expect(await find(itemRef("item-1"))).toMatchObject({ version });
    expect(readdirSync(dirname(path)).sort()).toEqual(["platform.db", "platform.db-wal", "platform.db.old"]);
    await storage.close();
  });

  it("removes the permissions of other users from an existing file", async () => {
    const path = temporaryPath();
    await createSqliteStorage({ path }).close();
    chmodSync(path, 0o644);
    const storage = await openStorage({ path });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await storage.close();
  });

  it("rejects a second storage in the same process, and keeps its lock", async () => {
    const path = temporaryPath();
    const storage = await openStorage({ path });
    for (const other of storages) {
      await expect(other.openStorage({ path })).rejects.toThrow(DatabaseInUseError);
    }
    const second = startChild("./open-child.ts", path);
    await second.ended();
    expect(second.output()).toContain("DatabaseInUseError");
    await expect(storage.check()).resolves.toBeUndefined();
    await storage.close();
  });

  it("can be opened again after the process that used it was killed", async () => {
    const path = temporaryPath();
    const holder = startChild("./open-child.ts", path, ways[where] ?? "");
    await holder.said("open");
    await expect(openStorage({ path })).rejects.toThrow(DatabaseInUseError);
    await holder.kill();
    const storage = await openStorage({ path });
    await expect(storage.check()).resolves.toBeUndefined();
    await storage.close();
  });

  it("is readable only by its owner, like its log", async () => {
    const path = temporaryPath();
    const storage = await openStorage({ path });
    await storage.transact(refOf(), commitWrites([revocationOf("token-1")]));
    expect([path, `${path}-wal`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    await storage.close();
  });
});
