import { cpSync, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Storage } from "../../ports/storage.js";
import { changeOf, createFixture, itemRef, revocationOf, tenantId } from "../../testing/storage-suite/fixture.js";
import { sumOf } from "../checksum.js";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { pageBytes } from "./database/open-database.js";
import { DatabaseDamagedError } from "./database/open-errors.js";
import { restoreSqliteBackup } from "./restore/restore-backup.js";
import { flipByte, flipText } from "./testing/damage-file.js";
import { storages } from "./testing/storages.js";
import { temporaryPath } from "./testing/temporary-path.js";

const damaged = { name: "StorageError", reason: "damaged" };
const intact = "s".repeat(3000);
const broken = "<broken>".repeat(400);

/** Creates a closed database with an item to damage and an intact one. */
async function createDatabase(): Promise<string> {
  const path = temporaryPath();
  const storage = createSqliteStorage({ path });
  const { createVault, put } = createFixture(storage);
  await createVault();
  await put(itemRef("broken"), broken, 0);
  await put(itemRef("intact"), intact, 0);
  await storage.close();
  return path;
}

function open(path: string) {
  const storage = createSqliteStorage({ path });
  return { storage, ...createFixture(storage) };
}

/** Calls `verify` often enough to verify all of a small database. */
async function verifyAll(storage: Storage): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await storage.verify();
}

// A flipped bit in any other column, and what verification finds, is in bit-rot.test.ts.
describe.each(storages)("content whose bytes have changed on disk, $where", ({ openStorage }) => {
  const openDamaged = async (path: string) => {
    const storage = await openStorage({ path });
    return { storage, ...createFixture(storage) };
  };

  it.each([
    ["in its ciphertext", (path: string) => flipText(path, "<broken><broken>")],
    ["to that of another item", (path: string) => change(path, swap)],
    ["by its removal", (path: string) => change(path, "DELETE FROM contents WHERE item = 1")],
  ])("%s is never returned, and blocks all later writes", async (_, damage) => {
    const path = await createDatabase();
    damage(path);
    const { storage, find, put, remove, write } = await openDamaged(path);
    await storage.check();
    await put(itemRef("before"), "a", 0);
    await expect(find(itemRef("broken"))).rejects.toMatchObject(damaged);

    await expect(put(itemRef("after"), "a", 0)).rejects.toMatchObject(damaged);
    await expect(remove(itemRef("intact"), 1)).rejects.toMatchObject(damaged);
    await expect(write(revocationOf("t"))).rejects.toMatchObject(damaged);
    await expect(storage.sealAudit(9)).rejects.toMatchObject(damaged);
    await expect(storage.purge(1, 9)).rejects.toMatchObject(damaged);
    await expect(storage.check()).rejects.toMatchObject(damaged);
    await expect(
      storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 }),
    ).rejects.toMatchObject(damaged);
    await storage.close();
  });

  it("is named by the table and the key of its row, and not written on, when a backup or a reader of the audit trail finds it", async () => {
    const path = await createDatabase();
    flipText(path, "<broken><broken>");
    const { storage } = await openDamaged(path);
    await expect(storage.backUp(`${path}.backup`)).rejects.toMatchObject({ name: "BackupError", reason: "failed" });
    await expect(storage.check()).rejects.toMatchObject({
      ...damaged,
      damagedRow: expect.stringMatching(/^contents .*"item":1/),
    });
    await storage.close();

    const other = await createDatabase();
    const sealed = open(other).storage;
    await sealed.sealAudit(9);
    await sealed.close();
    change(other, "DROP TRIGGER audit_stand; UPDATE audit SET at = at + 1 WHERE position = 1");
    const reader = (await openDamaged(other)).storage;
    expect((await reader.readAudit(0, 9)).entries).toHaveLength(3);
    await expect(reader.check()).rejects.toMatchObject({
      ...damaged,
      damagedRow: expect.stringContaining('audit {"position":1,'),
    });
    await reader.close();
  });

  it("also rejects the writes of the batch that read it", async () => {
    const path = await createDatabase();
    flipText(path, "<broken><broken>");
    const { storage, find, put } = await openDamaged(path);
    const results = await Promise.allSettled([put(itemRef("new"), "a", 0), find(itemRef("broken"))]);
    expect(results).toMatchObject([{ reason: damaged }, { reason: damaged }]);
    expect(await find(itemRef("new"))).toBeUndefined();
    await storage.close();
  });
});

it("earlier contents that are not JSON are found by verify, although their checksum is right", async () => {
  const { storage, createVault, write } = open(temporaryPath());
  await createVault();
  await write({ ...changeOf("item-1", "a"), earlier: "[{" });
  await expect(verifyAll(storage)).rejects.toMatchObject(damaged);
  await storage.close();
});

describe("a row that is intact but old, as a page that the disk has never written", () => {
  const tables = ["vaults", "items", "tombstones"] as const;

  /** Creates a database in which the row of a table is as it was before the last change. */
  const createWithOld = async (table: (typeof tables)[number]): Promise<string> => {
    const path = temporaryPath();
    const storage = createSqliteStorage({ path });
    const { createVault, put, remove, restore } = createFixture(storage);
    await createVault();
    await put(itemRef("item-1"), "a", 0);
    if (table === "tombstones") {
      await remove(itemRef("item-1"), 1);
      await storage.backUp(`${path}.before`);
      await restore(itemRef("item-1"), 2);
      await remove(itemRef("item-1"), 3);
    } else {
      await storage.backUp(`${path}.before`);
      await put(itemRef("item-1"), "a", 1);
    }
    await storage.close();
    change(path, `ATTACH '${path}.before' AS before; REPLACE INTO main.${table} SELECT * FROM before.${table}`);
    return path;
  };

  it.each(tables)("of %s is found by verify, and blocks all later writes", async (table) => {
    const { storage, put } = open(await createWithOld(table));
    await expect(verifyAll(storage)).rejects.toMatchObject(damaged);
    await expect(storage.check()).rejects.toMatchObject(damaged);
    await expect(put(itemRef("new"), "a", 0)).rejects.toMatchObject(damaged);
    await storage.close();
  });

  it.each(tables)("of %s is in no backup, and is not restored", async (table) => {
    const path = await createWithOld(table);
    const { storage } = open(path);
    await expect(storage.backUp(`${path}.backup`)).rejects.toMatchObject({ name: "BackupError", reason: "failed" });
    expect(existsSync(`${path}.backup`)).toBe(false);
    await expect(storage.check()).rejects.toMatchObject({ ...damaged, damagedRow: expect.stringMatching(/^\w+ [[{]/) });
    await storage.close();
    const restoring = () => restoreSqliteBackup({ backup: path, path: temporaryPath(), now: 1 });
    expect(restoring).toThrow(expect.objectContaining({ name: "RestoreError", reason: "damaged" }));
  });

  it.each(["vaults", "items"] as const)("of %s is found by a list of changes", async (table) => {
    const { storage } = open(await createWithOld(table));
    const listed = storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 });
    await expect(listed).rejects.toMatchObject(damaged);
    await storage.close();
  });

  it("of items is found when the audit trail is read", async () => {
    const { storage } = open(await createWithOld("items"));
    await storage.sealAudit(100);
    await expect(storage.readAudit(0, 100)).rejects.toMatchObject(damaged);
    await storage.close();
  });

  it("is found by verify when it is a change that the audit trail describes", async () => {
    const path = temporaryPath();
    const storage = createSqliteStorage({ path });
    const { createVault, put } = createFixture(storage);
    await createVault();
    for (const version of [0, 1, 2]) await put(itemRef("item-1"), "a", version);
    await storage.close();
    const difference = sumOf(["0", "0", "0", "1 - version"]);
    change(
      path,
      `DROP TRIGGER changes_stand; UPDATE changes SET version = 1, checksum = checksum + ${difference} WHERE version = 2`,
    );
    const damagedStorage = createSqliteStorage({ path });
    await expect(verifyAll(damagedStorage)).rejects.toMatchObject({ cause: { message: /a row of audit/ } });
    await damagedStorage.close();
  });
});

describe("a database whose structure is damaged", () => {
  it("is opened read-only when the last process did not close it", async () => {
    const path = await createDatabase();
    const { storage, put } = open(path);
    await put(itemRef("more"), "m".repeat(9000), 0);
    const copy = join(dirname(path), "copy.db");
    cpSync(path, copy);
    cpSync(`${path}-wal`, `${copy}-wal`);
    await storage.close();
    // Inverts the last page, which is an overflow page of a content or part of an index.
    const { size } = statSync(copy);
    for (let at = size - pageBytes; at < size; at += 1) flipByte(copy, at, 0xff);
    const again = open(copy);
    await expect(again.storage.check()).rejects.toMatchObject(damaged);
    await expect(again.put(itemRef("after"), "a", 0)).rejects.toMatchObject(damaged);
    await again.storage.close();
  });

  it("is rejected with the advice to restore a backup when it cannot be opened", async () => {
    const path = await createDatabase();
    flipByte(path, 3);
    expect(() => open(path)).toThrow(DatabaseDamagedError);
    expect(() => open(path)).toThrow(/restore a backup/);
  });

  it("is rejected when the name of a column has changed", async () => {
    const path = await createDatabase();
    flipText(path, "oauth_client_id");
    expect(() => open(path)).toThrow(DatabaseDamagedError);
  });
});

const swap = `
  UPDATE contents SET item = -item;
  UPDATE contents SET item = 3 + item`;

/** Changes a closed database, bypassing its constraints. */
function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; ${sql}`);
  database.close();
}
