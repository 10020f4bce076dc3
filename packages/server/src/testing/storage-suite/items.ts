import { describe, expect, it } from "vitest";
import { deleteItem } from "../../domain/delete-item.js";
import { shreddedContent } from "../../domain/model/item.js";
import { actor, contentOf, itemRef, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { recordOf } from "./records.js";

const day = 24 * 60 * 60 * 1000;

export function describeItems({ open }: Harness): void {
  describe("items: live, deleted, shredded", () => {
    it("store a content unchanged that is empty, of one character, of 64 KiB, or beyond ASCII", async () => {
      const { createVault, put, find } = await open();
      await createVault();
      for (const mark of ["", "x", "c".repeat(65_536), 'žluťoučký "kůň" 🐎 \\ \u0001']) {
        const ref = itemRef(`item-${mark.length}`);
        await put(ref, mark, 0);
        expect(await find(ref)).toMatchObject(contentOf(mark));
      }
    });
  });

  it("a deletion commits the record that is created with its tombstone; a retry and a conflict create none", async () => {
    const { storage, createVault, put, clock } = await open();
    await createVault();
    const ref = itemRef("item-1");
    await put(ref, "a", 0);
    const keys = ["conflict", "first", "retry"];
    for (const [index, key] of keys.entries()) {
      const record = { ...recordOf(key), revision: 1 };
      const rule = deleteItem(index === 0 ? 7 : 1, actor, clock.now(), undefined, () => ({ kind: "record", record }));
      await storage.transact({ kind: "item", ...ref, principalId }, rule);
    }
    const records = await storage.readRecords(keys.map((key) => recordOf(key)));
    expect(records.map((record) => record?.key)).toEqual([undefined, "first", undefined]);
  });

  describe("listShreddable: tombstones whose retention has ended", () => {
    it("lists due tombstones, the longest overdue first, up to the limit", async () => {
      const { storage, createVault, put, remove, restore, shred, clock } = await open();
      await createVault("vault-1", 2);
      await createVault("vault-2", 1);
      await createVault("vault-3", 0);
      const atOnce = itemRef("at-once", "vault-3");
      await put(atOnce, "a", 0);
      await remove(atOnce, 1);
      const late = itemRef("late");
      const early = itemRef("early", "vault-2");
      const restored = itemRef("restored");
      for (const ref of [late, early, restored]) await put(ref, "a", 0);
      for (const ref of [late, restored]) await remove(ref, 1);
      await restore(restored, 2);
      clock.advance(1);
      await remove(early, 1);
      const deletedAt = clock.now();

      expect(await storage.listShreddable(deletedAt + day - 1, 9)).toEqual([]);
      expect(await storage.listShreddable(deletedAt + day, 9)).toEqual([early]);
      expect(await storage.listShreddable(deletedAt + 2 * day, 9)).toEqual([early, late]);
      expect(await storage.listShreddable(deletedAt + 2 * day, 1)).toEqual([early]);
      clock.advance(2 * day);
      await shred(early);
      expect(await storage.listShreddable(clock.now(), 9)).toEqual([late]);
    });
  });

  describe("listChanges: what changed after a position", () => {
    it("lists contents, and none of a shredded item", async () => {
      const { storage, createVault, put, remove, shred, clock } = await open();
      await createVault();
      await put(itemRef("item-1"), "a", 0);
      await put(itemRef("item-2"), "b", 0);
      await remove(itemRef("item-1"), 1);
      const all = { tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 };
      const b = { itemId: "item-2", sequence: 2, state: "live", ...contentOf("b") };
      const a = { itemId: "item-1", sequence: 3, state: "deleted", ...contentOf("a") };
      expect((await storage.listChanges(all)).items).toMatchObject([b, a]);
      clock.advance(30 * day);
      await shred(itemRef("item-1"));
      const shredded = { ...a, state: "shredded", ...shreddedContent(contentOf("a")) };
      expect((await storage.listChanges(all)).items).toMatchObject([b, shredded]);
    });
  });
}
