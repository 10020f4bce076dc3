import { cpSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Storage } from "../../ports/storage.js";
import { StorageError } from "../../ports/storage.js";
import { contentOf, createFixture, itemRef, tenantId } from "../../testing/storage-suite/fixture.js";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { DatabaseDamagedError } from "./open-errors.js";
import { flipByte, flipText } from "./testing/damage-file.js";
import { temporaryPath } from "./testing/temporary-path.js";

const damaged = { name: "StorageError", reason: "damaged" };
const sound = "s".repeat(3000);
const struck = "<struck>".repeat(400);

/** A database, closed, with an item whose content is to be damaged and another. */
async function createDatabase(): Promise<string> {
  const path = temporaryPath();
  const storage = createSqliteStorage({ path });
  const { createVault, put } = createFixture(storage);
  await createVault();
  await put(itemRef("struck"), struck, 0);
  await put(itemRef("sound"), sound, 0);
  await storage.close();
  return path;
}

function open(path: string) {
  const storage = createSqliteStorage({ path });
  return { storage, ...createFixture(storage) };
}

/** Turns of verification, more than a small database needs for all of it. */
async function verifyAll(storage: Storage): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await storage.verify();
}

describe("a content whose bytes have changed on the disk", () => {
  it.each([
    ["in its ciphertext", (path: string) => flipText(path, "<struck><struck>")],
    ["in what is around it", (path: string) => flipText(path, '"aad":"aad-<struck>')],
    ["in its kind", (path: string) => change(path, "UPDATE items SET kind = 'card' WHERE item_id = 'struck'")],
    ["in its checksum", (path: string) => change(path, "UPDATE contents SET checksum = checksum + 1 WHERE item = 1")],
    ["to that of another item", (path: string) => change(path, swap)],
    ["to none", (path: string) => change(path, "DELETE FROM contents WHERE item = 1")],
    ["in the type of a column", (path: string) => change(path, "UPDATE items SET state = 'lively' WHERE id = 1")],
  ])("%s is never served, and from then on nothing is written", async (_, damage) => {
    const path = await createDatabase();
    damage(path);
    const { storage, find, put, remove, write } = open(path);
    await storage.check();
    await put(itemRef("before"), "a", 0);
    await expect(find(itemRef("struck"))).rejects.toMatchObject(damaged);

    await expect(put(itemRef("after"), "a", 0)).rejects.toMatchObject(damaged);
    await expect(remove(itemRef("sound"), 1)).rejects.toMatchObject(damaged);
    await expect(write({ kind: "revocation", subjectId: "t", at: 1 })).rejects.toMatchObject(damaged);
    await expect(storage.check()).rejects.toMatchObject(damaged);
    await expect(
      storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 }),
    ).rejects.toMatchObject(damaged);
    await storage.close();
  });

  it("is found by verification, turn by turn, before anybody asks for it", async () => {
    const path = await createDatabase();
    flipText(path, "<struck><struck>");
    const { storage, find } = open(path);
    await expect(verifyAll(storage)).rejects.toMatchObject(damaged);
    await expect(storage.check()).rejects.toMatchObject(damaged);
    expect(await find(itemRef("sound"))).toMatchObject(contentOf(sound));
    await storage.close();
  });

  it("takes what is written in the same batch with it: nothing is committed beside damage", async () => {
    const path = await createDatabase();
    flipText(path, "<struck><struck>");
    const { storage, find, put } = open(path);
    const results = await Promise.allSettled([put(itemRef("new"), "a", 0), find(itemRef("struck"))]);
    expect(results).toMatchObject([{ reason: damaged }, { reason: damaged }]);
    expect(await find(itemRef("new"))).toBeUndefined();
    await storage.close();
  });

  it("verification finds nothing in a database that is sound", async () => {
    const { storage } = open(await createDatabase());
    await verifyAll(storage);
    await storage.check();
    await storage.close();
  });
});

describe("a database whose structure is damaged", () => {
  it("is opened for reading alone when the last process did not close it", async () => {
    const path = await createDatabase();
    const { storage, put } = open(path);
    await put(itemRef("more"), "m".repeat(9000), 0);
    const copy = join(dirname(path), "copy.db");
    cpSync(path, copy);
    cpSync(`${path}-wal`, `${copy}-wal`);
    await storage.close();
    // The page that is last holds overflow of a content, or a part of an index: whatever it is, it is emptied.
    const pages = statSync(copy).size / 1024;
    for (let at = (pages - 1) * 1024; at < pages * 1024; at += 1) flipByte(copy, at, 0xff);
    const again = open(copy);
    await expect(again.storage.check()).rejects.toMatchObject(damaged);
    await expect(again.put(itemRef("after"), "a", 0)).rejects.toMatchObject(damaged);
    await again.storage.close();
  });

  it("is refused with the advice to restore a backup when it cannot be opened at all", async () => {
    const path = await createDatabase();
    flipByte(path, 3);
    expect(() => open(path)).toThrow(DatabaseDamagedError);
    expect(() => open(path)).toThrow(/restore a backup/);
  });

  it("is refused when the name of a column has changed", async () => {
    const path = await createDatabase();
    flipText(path, "device_code_hash");
    expect(() => open(path)).toThrow(DatabaseDamagedError);
  });

  it("never gives wrong content, wherever a byte has changed", async () => {
    const original = await createDatabase();
    const { size } = statSync(original);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: size - 1 }), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const path = temporaryPath();
        cpSync(original, path);
        flipByte(path, at, mask);
        try {
          const { storage, find } = open(path);
          for (const mark of ["struck", "sound"]) {
            const item = await find(itemRef(mark)).catch(asDamage);
            if (item !== undefined) expect(item).toMatchObject(contentOf(mark === "struck" ? struck : sound));
            else found += 1;
          }
          await storage.close().catch(asDamage);
        } catch (error) {
          if (!(error instanceof Error) || !error.name.startsWith("Database")) throw error;
        }
      }),
      { numRuns: 150 },
    );
    expect(found).toBeGreaterThan(10);
  }, 60_000);
});

/** Any failure but one of the storage is a fault. */
function asDamage(error: unknown): undefined {
  if (!(error instanceof StorageError)) throw error;
}

const swap = `
  UPDATE contents SET item = -item;
  UPDATE contents SET item = 3 + item`;

/** Changes a database that nobody has open, past every rule that it has. */
function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; ${sql}`);
  database.close();
}
