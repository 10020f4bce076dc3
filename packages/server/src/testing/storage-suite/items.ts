import { describe, expect, it } from "vitest";
import { deleteItem } from "../../domain/delete-item.js";
import { listEarlierContents } from "../../domain/get-item.js";
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

  describe("earlier contents", () => {
    it("are listed from the newest, kept by a deletion and a restoration, and erased with the content", async () => {
      const { createVault, put, remove, restore, shred, earlier, clock } = await open();
      await createVault();
      const ref = itemRef("item-1");
      expect(await earlier(ref)).toEqual({ ok: false, reason: "ITEM_NOT_FOUND" });
      await put(ref, "a", 0);
      expect(await earlier(ref)).toEqual({ ok: true, contents: [] });
      const replacedAt = clock.now();
      await put(ref, "b", 1);
      await put(ref, "b", 1);
      clock.advance(1);
      await put(ref, "c", 2);
      const a = { version: 1, updatedAt: replacedAt, replacedAt, ...contentOf("a") };
      const b = { version: 2, updatedAt: replacedAt, replacedAt: replacedAt + 1, ...contentOf("b") };
      expect(await earlier(ref)).toEqual({ ok: true, contents: [b, a] });
      await remove(ref, 3);
      expect(await earlier(ref)).toEqual({ ok: true, contents: [b, a] });
      await restore(ref, 4);
      await remove(ref, 5);
      expect(await earlier(ref)).toEqual({ ok: true, contents: [b, a] });
      clock.advance(31 * day);
      await shred(ref);
      expect(await earlier(ref)).toEqual({ ok: true, contents: [] });
    });

    it("are those of every change, also of changes that are committed together, and for a rule whose ref does not say that it reads them", async () => {
      const { storage, createVault, put, remove, clock } = await open();
      await createVault();
      const refs = [itemRef("item-1"), itemRef("item-2")];
      const marks = ["a", "b", "c", "d"];
      const changes = refs.map((ref) => marks.map((mark, index) => put(ref, `${mark} of ${ref.itemId}`, index)));
      await Promise.all([...changes.flat(), remove(itemRef("item-2"), 4)]);
      for (const ref of refs) {
        const contents = ["c", "b", "a"].map((mark) => contentOf(`${mark} of ${ref.itemId}`));
        const rule = listEarlierContents("administrator", clock.now());
        const { outcome } = await storage.transact({ kind: "item", ...ref }, rule);
        expect(outcome).toMatchObject({ ok: true, contents });
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
