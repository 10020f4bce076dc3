import { describe, expect, it } from "vitest";
import { shreddedContent } from "../../domain/model/item.js";
import { contentOf, itemRef, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";

const day = 24 * 60 * 60 * 1000;

export function describeItems({ open }: Harness): void {
  describe("items: live, deleted, shredded", () => {
    it.each([
      ["empty", ""],
      ["of a single character", "x"],
      ["of 64 KiB", "c".repeat(65_536)],
      ["beyond ASCII", 'žluťoučký "kůň" 🐎 \\ \u0001'],
    ])("store a content that is %s unchanged", async (_, mark) => {
      const { createVault, put, find } = await open();
      await createVault();
      await put(itemRef("item-1"), mark, 0);
      expect(await find(itemRef("item-1"))).toMatchObject(contentOf(mark));
    });
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

    it.each([
      ["an administrator", {}],
      ["a member", { principalId }],
    ])("ends a page of %s before the item that exceeds maxBytes, with hasMore true", async (_, reader) => {
      const { storage, createVault, put } = await open();
      await createVault();
      for (const index of [1, 2, 3]) await put(itemRef(`item-${index}`), "€".repeat(1000), 0);
      const from = { tenantId, vaultId: "vault-1", ...reader, limit: 9 };
      const whole = await storage.listChanges({ ...from, afterSequence: 0 });
      const bytes = whole.items.map((item) => new TextEncoder().encode(JSON.stringify(item)).length);
      const [first = 0, second = 0] = bytes;
      const listed = async (afterSequence: number, maxBytes: number) => {
        const { items, hasMore } = await storage.listChanges({ ...from, afterSequence, maxBytes });
        return { sequences: items.map(({ sequence }) => sequence), hasMore };
      };
      expect(whole.hasMore).toBe(false);
      expect(await listed(0, first + second)).toEqual({ sequences: [1, 2], hasMore: true });
      expect(await listed(0, first + second - 1)).toEqual({ sequences: [1], hasMore: true });
      expect(await listed(0, 1)).toEqual({ sequences: [1], hasMore: true });
      expect(await listed(2, 1)).toEqual({ sequences: [3], hasMore: false });
      expect(await storage.listChanges({ ...from, limit: 2, afterSequence: 0 })).toMatchObject({ hasMore: true });
      expect(await storage.listChanges({ ...from, limit: 3, afterSequence: 0 })).toMatchObject({ hasMore: false });
    });
  });
}
