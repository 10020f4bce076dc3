import { describe, expect, it } from "vitest";
import { actor, contentOf, itemRef, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";

const [from, to] = [itemRef("item-1"), itemRef("item-1b", "vault-2")];

export function describeMoves({ open }: Harness): void {
  describe("an item that moves to another vault", () => {
    const openTwo = async () => {
      const opened = await open();
      await opened.createVault();
      await opened.createVault("vault-2");
      const listed = async (vaultId: string) => {
        const page = await opened.storage.listChanges({ tenantId, vaultId, afterSequence: 0, limit: 99 });
        return page.items.map(({ itemId, version, sequence, state }) => ({ itemId, version, sequence, state }));
      };
      return { ...opened, listed };
    };

    it("is a tombstone in the first one and live in the other one in the same commit, with its earlier contents", async () => {
      const { storage, put, move, find, earlier, restore, listed, clock } = await openTwo();
      await put(itemRef("other", "vault-2"), "x", 0);
      await put(from, "a", 0);
      await put(from, "b", 1);
      const times = { updatedAt: clock.now() - 2, replacedAt: clock.now() - 1 };
      const before = { version: 1, ...times, ...contentOf("a, for the other vault") };
      const moved = await move(from, to, "b, for the other vault", 2, [before]);
      expect(moved).toMatchObject({ outcome: { ok: true, item: { ...to, version: 1, state: "live" } }, sequence: 2 });
      expect(await find(from)).toMatchObject({ version: 3, sequence: 3, state: "deleted", ...contentOf("b") });
      expect(await find(to)).toMatchObject({ version: 1, sequence: 2, ...contentOf("b, for the other vault") });
      expect(await earlier(to)).toEqual({ ok: true, contents: [before] });
      const { rows } = await storage.listAudit({ tenantId, limit: 2 });
      expect(rows.map(({ event, subject, requestId }) => ({ event, subject, requestId }))).toEqual([
        { event: "created", subject: "item:vault-2/item-1b", requestId: actor.requestId },
        { event: "deleted", subject: "item:vault-1/item-1", requestId: actor.requestId },
      ]);

      // An exact retry answers the same and writes nothing. Nothing is lost by a restoration.
      const state = [await listed("vault-1"), await listed("vault-2")];
      const again = await move(from, to, "b, for the other vault", 2, [before]);
      expect(again.outcome).toMatchObject({ ok: true, item: { ...to, version: 1, sequence: 2 } });
      expect([await listed("vault-1"), await listed("vault-2")]).toEqual(state);
      for (let turn = 0; turn < 40; turn += 1) await storage.verify();
      await restore(from, 3);
      expect(await earlier(from)).toMatchObject({ ok: true, contents: [contentOf("a")] });
    });

    it("is there once, whatever else changes both vaults in the same moment", async () => {
      const { put, move, remove, listed } = await openTwo();
      for (let round = 0; round < 4; round += 1) {
        const [one, other] = [itemRef(`one-${round}`), itemRef(`other-${round}`, "vault-2")];
        await Promise.all([put(one, "a", 0), put(other, "a", 0)]);
        const [first, second, , third, back] = await Promise.all([
          move(one, itemRef(`x-${round}`, "vault-2"), "m", 1),
          move(one, itemRef(`y-${round}`, "vault-2"), "m", 1),
          put(itemRef(`new-${round}`, "vault-2"), "n", 0),
          remove(one, 1),
          move(other, itemRef(`back-${round}`), "m", 1),
          put(itemRef(`new-${round}`), "n", 0),
        ]);
        expect(first.outcome.ok).toBe(true);
        expect(second.outcome).toMatchObject({ ok: false, reason: "VERSION_CONFLICT" });
        // The deletion is a retry of the one that the move has made.
        expect(third.outcome.ok).toBe(true);
        expect(back.outcome.ok).toBe(true);
      }
      for (const vaultId of ["vault-1", "vault-2"]) {
        const sequences = (await listed(vaultId)).map(({ sequence }) => sequence);
        expect(new Set(sequences).size).toBe(sequences.length);
      }
      const live = [...(await listed("vault-1")), ...(await listed("vault-2"))].filter(({ state }) => state === "live");
      expect(live).toHaveLength(4 * 4);
    });

    it("has its place before every later call, of the same turn of the event loop or of the next one", async () => {
      const { put, move } = await openTwo();
      const turns = [() => undefined, () => new Promise((resolve) => setTimeout(resolve))];
      for (const [index, turn] of turns.entries()) {
        const [moved, place] = [itemRef(`moved-${index}`), itemRef(`place-${index}`, "vault-2")];
        await put(moved, "a", 0);
        const moving = move(moved, place, "m", 1);
        await turn();
        expect((await put(place, "b", 0)).outcome).toMatchObject({ ok: false, reason: "VERSION_CONFLICT" });
        expect((await moving).outcome.ok).toBe(true);
      }
    });

    it("does not move if its principal is not a member of the other vault", async () => {
      const { move, put, write, listed } = await openTwo();
      await put(from, "a", 0);
      await write({ kind: "member", tenantId, vaultId: "vault-2", principalId, role: undefined });
      expect((await move(from, to, "m", 1)).outcome).toEqual({ ok: false, reason: "VAULT_NOT_FOUND" });
      await write({ kind: "member", tenantId, vaultId: "vault-2", principalId, role: "viewer" });
      expect((await move(from, to, "m", 1)).outcome).toEqual({ ok: false, reason: "ROLE_FORBIDS_CHANGE" });
      expect(await listed("vault-1")).toMatchObject([{ state: "live", version: 1 }]);
      expect(await listed("vault-2")).toEqual([]);
    });
  });
}
