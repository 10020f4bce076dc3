import { describe, expect, it } from "vitest";
import { beginPostgresEpoch } from "../../../src/storage/postgres/begin-epoch.js";
import { createPostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";
import { createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
import { createFixture, itemRef, tenantId } from "../../../src/testing/storage-suite/fixture.js";
import { contentKey } from "./testing/open-storages.js";

const damaged = { name: "StorageError", reason: "damaged" };

/** Creates a database, and damages it. */
async function createDamaged(sql: string): Promise<string> {
  const url = await createTestDatabase();
  const storage = await createPostgresStorage({ url, contentKey });
  const { createVault, put, remove } = createFixture(storage);
  await createVault();
  await put(itemRef("broken"), "a", 0);
  await put(itemRef("broken"), "b", 1);
  await put(itemRef("intact"), "a", 0);
  await put(itemRef("deleted"), "a", 0);
  await remove(itemRef("deleted"), 1);
  await storage.sealAudit(100);
  await storage.close();
  await runSql(url, sql);
  return url;
}

async function open(url: string) {
  const storage = await createPostgresStorage({ url, contentKey });
  return { storage, ...createFixture(storage) };
}

/** Changes a column without the checksum, which PostgreSQL computes otherwise. */
const rot = (table: string, change: string) =>
  `ALTER TABLE ${table} ALTER COLUMN checksum DROP EXPRESSION; UPDATE ${table} SET ${change} WHERE item_id = 'broken'`;

describe("a row on PostgreSQL that does not match its checksum", () => {
  it.each([
    ["a content", rot("contents", "content = set_byte(content, 0, get_byte(content, 0) # 1)")],
    ["a missing content", "DELETE FROM contents WHERE item_id = 'broken'"],
    ["a missing key", "DELETE FROM content_keys WHERE item_id = 'broken'"],
  ])("%s is never returned, and blocks all later writes of the process", async (_, sql) => {
    const { storage, find, put } = await open(await createDamaged(sql));
    await storage.check();
    const [broken, intact] = await Promise.allSettled([find(itemRef("broken")), find(itemRef("intact"))]);
    expect(broken).toMatchObject({ reason: damaged });
    expect(intact).toMatchObject({ value: { version: 1 } });
    await expect(storage.check()).rejects.toMatchObject(damaged);
    await expect(put(itemRef("new"), "a", 0)).rejects.toMatchObject(damaged);
    await expect(storage.sealAudit(9)).rejects.toMatchObject(damaged);
    await expect(storage.purge(1, 9)).rejects.toMatchObject(damaged);
    expect(await find(itemRef("intact"))).toMatchObject({ version: 1 });
    await storage.close();
  });

  it("begins no epoch, which would give it a new checksum", async () => {
    const url = await createDamaged(rot("items", "version = 3"));
    await expect(beginPostgresEpoch({ url, now: 1 })).rejects.toMatchObject({
      name: "RestoreError",
      reason: "damaged",
    });
  });
});

describe("a row on PostgreSQL that is intact but old, as a page that the disk has never written", () => {
  const old = {
    vaults: "UPDATE vaults SET sequence = sequence - 1",
    items: "UPDATE items SET version = 1, sequence = 1 WHERE item_id = 'broken'",
    tombstones: "DELETE FROM tombstones",
    changes: "ALTER TABLE changes DISABLE TRIGGER ALL; DELETE FROM changes WHERE sequence = 2",
  };

  it.each(Object.entries(old))("of %s is found by verify", async (_, sql) => {
    const { storage } = await open(await createDamaged(sql));
    const verifyAll = async () => {
      for (let turn = 0; turn < 26; turn += 1) await storage.verify();
    };
    await expect(verifyAll()).rejects.toMatchObject(damaged);
    await expect(storage.check()).rejects.toMatchObject(damaged);
    await storage.close();
  });

  it.each(["vaults", "items", "changes"] as const)("of %s is found by a list of changes", async (table) => {
    const { storage } = await open(await createDamaged(old[table]));
    const listed = storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 });
    await expect(listed).rejects.toMatchObject(damaged);
    await storage.close();
  });

  it("of items is found when the audit trail is read", async () => {
    const { storage } = await open(await createDamaged(old.items));
    await expect(storage.readAudit(0, 100)).rejects.toMatchObject(damaged);
    await storage.close();
  });
});
