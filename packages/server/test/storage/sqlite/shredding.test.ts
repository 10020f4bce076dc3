import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { deleteForEver } from "../../../src/domain/delete-for-ever.js";
import { openDatabase } from "../../../src/storage/sqlite/database/open-database.js";
import { createStorageOnDatabase } from "../../../src/storage/sqlite/storage-on-database.js";
import { storages } from "../../../src/storage/sqlite/testing/storages.js";
import { temporaryPath } from "../../../src/storage/sqlite/testing/temporary-path.js";
import { actor, createFixture, itemRef, principalId, tenantId } from "../../../src/testing/storage-suite/fixture.js";

const day = 24 * 60 * 60 * 1000;

/** Returns a content of at least `length` bytes that can be found in a file by its mark. */
function marked(mark: string, length: number): string {
  return mark.repeat(Math.ceil(length / mark.length));
}

/** Counts a text in the files of a directory, in another process, so that the database keeps its lock. */
function occurrences(text: string, directory: string): number {
  const count = 'LC_ALL=C grep -raoF -- "$0" "$1" | wc -l';
  return Number(execFileSync("sh", ["-c", count, text, directory], { encoding: "utf8" }));
}

describe.each(storages)(
  "DECISIONS section 3: shredding leaves no trace of the content in any file, $where",
  ({ openStorage }) => {
    // From contents that would share a b-tree page with others, to chains of overflow pages.
    const lengths = [10, 300, 1000, 5000, 64 * 1024];

    it.each(lengths)("with a retention of 0, once the deletion resolves: %i bytes", async (length) => {
      const path = temporaryPath();
      const storage = await openStorage({ path });
      const { createVault, put, remove } = createFixture(storage);
      await createVault("vault-1", 0);
      await put(itemRef("item-1"), marked("<secret-1>", length), 0);
      await put(itemRef("item-1"), marked("<secret-2>", length), 1);
      await put(itemRef("item-2"), marked("<secret-3>", length), 0);
      expect(occurrences("<secret-", dirname(path))).toBeGreaterThan(0);

      await remove(itemRef("item-1"), 2);
      expect(occurrences("<secret-1>", dirname(path))).toBe(0);
      expect(occurrences("<secret-2>", dirname(path))).toBe(0);
      expect(occurrences("<secret-3>", dirname(path))).toBeGreaterThan(0);
      await storage.close();
      expect(occurrences("<secret-2>", dirname(path))).toBe(0);
    });

    it.each(lengths)("after the retention, once the shredding resolves: %i bytes", async (length) => {
      const path = temporaryPath();
      const storage = await openStorage({ path });
      const { createVault, put, remove, shred, clock } = createFixture(storage);
      await createVault();
      await put(itemRef("item-1"), marked("<secret-1>", length), 0);
      await remove(itemRef("item-1"), 1);
      clock.advance(30 * day);
      expect(occurrences("<secret-1>", dirname(path))).toBeGreaterThan(0);
      expect(await shred(itemRef("item-1"))).toBe(true);
      expect(occurrences("<secret-1>", dirname(path))).toBe(0);
      await storage.close();
      expect(occurrences("<secret-1>", dirname(path))).toBe(0);
    });

    it.each(lengths)("before the retention ends, once an owner has deleted it for ever: %i bytes", async (length) => {
      const path = temporaryPath();
      const storage = await openStorage({ path });
      const { createVault, put, remove, write, clock } = createFixture(storage);
      await createVault();
      await write({ kind: "member", tenantId, vaultId: "vault-1", principalId, role: "owner" });
      await put(itemRef("item-1"), marked("<secret-1>", length), 0);
      await put(itemRef("item-1"), marked("<secret-2>", length), 1);
      await remove(itemRef("item-1"), 2);
      expect(occurrences("<secret-", dirname(path))).toBeGreaterThan(0);
      const ref = { kind: "item", ...itemRef("item-1"), principalId } as const;
      expect(await storage.transact(ref, deleteForEver(3, actor, clock.now()))).toMatchObject({
        outcome: { ok: true },
      });
      expect(occurrences("<secret-", dirname(path))).toBe(0);
      expect(await storage.listShreddable(clock.now() + 31 * day, 1)).toEqual([]);
      await storage.close();
      expect(occurrences("<secret-", dirname(path))).toBe(0);
    });

    it("after many replacements of all sizes, for which SQLite moves rows between pages", async () => {
      const path = temporaryPath();
      const storage = await openStorage({ path });
      const { createVault, put, remove } = createFixture(storage);
      await createVault("vault-1", 0);
      const versions = new Map<string, number>();
      // A fixed sequence of sizes and items that mixes small and large contents.
      for (let step = 0; step < 24; step += 1) {
        const replaced = Array.from({ length: 150 }, (_, index) => {
          const itemId = `item-${(index * 7 + step * 31) % 300}`;
          const version = versions.get(itemId) ?? 0;
          versions.set(itemId, version + 1);
          return put(itemRef(itemId), marked("<secret>", ((index * 97 + step * 53) % 23) ** 2), version);
        });
        await Promise.all(replaced);
      }
      expect(occurrences("<secret>", dirname(path))).toBeGreaterThan(1000);
      const removed = [...versions].map(([itemId, version]) => remove(itemRef(itemId), version));
      expect((await Promise.all(removed)).every(({ outcome }) => outcome.ok)).toBe(true);
      expect(occurrences("<secret>", dirname(path))).toBe(0);
      await storage.close();
    });

    it("after the next start, when the process is killed between the commit and the truncation", async () => {
      const path = temporaryPath();
      const database = openDatabase(path);
      const storage = createStorageOnDatabase(database);
      const { createVault, put } = createFixture(storage);
      await createVault();
      await put(itemRef("item-1"), marked("<secret>", 5000), 0);
      // The commit of a shredding, without the truncation that follows.
      database.exec("DELETE FROM contents");

      const copy = join(dirname(path), "copy");
      mkdirSync(copy);
      execFileSync("cp", [path, `${path}-wal`, copy]);
      expect(occurrences("<secret>", copy)).toBeGreaterThan(0);
      const reopened = await openStorage({ path: join(copy, "platform.db") });
      expect(occurrences("<secret>", copy)).toBe(0);
      await reopened.close();
      await storage.close();
    });
  },
);
