import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Storage } from "../../../src/ports/storage.js";
import { beginPostgresEpoch } from "../../../src/storage/postgres/begin-epoch.js";
import { createPostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";
import { copyTestDatabase, createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
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

type Opened = Awaited<ReturnType<typeof open>>;

async function verifyAll(storage: Storage): Promise<void> {
  for (let turn = 0; turn < 26; turn += 1) await storage.verify();
}

const list =
  (afterSequence: number, limit: number) =>
  ({ storage }: Pick<Opened, "storage">) =>
    storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence, limit });

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

describe("the table and the key of a damaged row on PostgreSQL", () => {
  it.each([
    [
      "a call",
      "items",
      "version = 3",
      ({ find }: Opened) => find(itemRef("broken")),
      'items ["tenant-1", "vault-1", "broken"]',
    ],
    [
      "a list",
      "items",
      "version = 3",
      ({ storage }: Opened) => list(0, 9)({ storage }),
      'items ["tenant-1", "vault-1", "broken"]',
    ],
    [
      "verify",
      "contents",
      "content = 'x'",
      ({ storage }: Opened) => verifyAll(storage),
      'contents ["tenant-1","vault-1","broken"]',
    ],
  ])("are named when %s finds it", async (_, table, change, call, damagedRow) => {
    const opened = await open(await createDamaged(rot(table, change)));
    await expect(call(opened)).rejects.toMatchObject({ ...damaged, damagedRow });
    await opened.storage.close();
  });

  it("are named when the audit trail is read, which is returned, and block all later writes", async () => {
    const rotten =
      "DROP TRIGGER audit_stands ON audit; ALTER TABLE audit ALTER COLUMN checksum DROP EXPRESSION; UPDATE audit SET at = at + 1";
    const { storage } = await open(await createDamaged(`${rotten} WHERE position = 2`));
    expect((await storage.readAudit(0, 100)).entries.length).toBeGreaterThan(4);
    await expect(storage.check()).rejects.toMatchObject({ ...damaged, damagedRow: "audit [2]" });
    await storage.close();
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
    await expect(verifyAll(storage)).rejects.toMatchObject(damaged);
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

describe("one changed bit on PostgreSQL without data checksums", () => {
  const head = 40;

  /** Flips a bit of a file, of which the first page has the newest row of a table at a place. See bufpage.h, itemid.h, itup.h of PostgreSQL. */
  const flips: Readonly<Record<string, (bytes: Buffer, place: number) => void>> = {
    // Sets xmin to a transaction of the future.
    "hides the row": (bytes, place) => {
      const at = (bytes.readUInt16LE(20 + 4 * place) & 0x7fff) + 3;
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x40, at);
    },
    // pd_lower.
    "hides all rows after the first ones": (bytes) => bytes.writeUInt16LE(bytes.readUInt16LE(12) ^ 128, 12),
    "leads from an index to another row": (bytes, place) => {
      bytes.writeUInt8(place ^ 8, bytes.indexOf(Uint8Array.of(0, 0, 0, 0, place, 0)) + 4);
    },
  };

  const createFlipped = async (flip: string, table: string, file = table) => {
    const url = await createTestDatabase();
    const { storage, createVault, put } = await open(url);
    await createVault();
    for (let item = 1; item <= head; item += 1) await put(itemRef(`item-${item}`), "a", 0);
    await storage.close();
    // From now on, an index is enough to count the rows.
    await runSql(url, "VACUUM");
    const copy = await copyTestDatabase(new URL(url).pathname.slice(1));
    const name = new URL(copy).pathname.slice(1);
    await runSql(url, `ALTER DATABASE ${name} SET ignore_checksum_failure = on`);
    const sql = `SELECT current_setting('data_directory') || '/base/' || oid || '/' || pg_relation_filenode($2) AS path,
      (SELECT (max(ctid)::text::point)[1] FROM ${table}) AS place FROM pg_database WHERE datname = $1`;
    const [{ path, place } = {}] = await runSql(url, sql, [name, file]);
    const bytes = readFileSync(String(path));
    // An index begins with a page about itself.
    flips[flip]?.(file === table ? bytes : bytes.subarray(8192), Number(place));
    writeFileSync(String(path), bytes);
    return { intact: url, flipped: copy };
  };
  const newest = itemRef(`item-${head}`);

  it.each([
    ["a list of the newest change", "hides the row", "changes", "changes", list(head - 1, 9)],
    ["a list", "hides all rows after the first ones", "changes", "changes", list(head / 2, head)],
    ["a list", "leads from an index to another row", "changes", "changes_pkey", list(0, head)],
    ["a read", "hides the row", "items", "items", ({ find }: Opened) => find(newest)],
    [
      "a creation",
      "leads from an index to another row",
      "items",
      "items_pkey",
      ({ put }: Opened) => put(newest, "b", 0),
    ],
    ["a deletion", "hides the row", "vaults", "vaults", ({ remove }: Opened) => remove(newest, 1)],
    ["the creation of a vault", "hides the row", "vaults", "vaults", ({ createVault }: Opened) => createVault()],
  ] as const)("%s fails if it %s of %s, or is right all the same", async (_, flip, table, file, call) => {
    const { intact, flipped } = await createFlipped(flip, table, file);
    const [right, found] = [await open(intact), await open(flipped)];
    // A plan that reads the whole page of a table does not look at xmin.
    const outcome = await call(found).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject(damaged);
    else expect(outcome).toEqual(await call(right));
    for (const { storage } of [right, found]) await storage.close();
  });
});
