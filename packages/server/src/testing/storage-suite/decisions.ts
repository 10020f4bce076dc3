import { describe, expect, it } from "vitest";
import { principals } from "../../domain/model/access.js";
import type { Write } from "../../domain/model/decision.js";
import { refOf } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import { changeOf, contentOf, itemRef, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { commitWrites, throwRangeError } from "./rules.js";

const activate: Write = principals.create({ tenantId, principalId, active: true }, 0);

/** Returns a write that every adapter must reject: the creation of an existing item. An item id is never reused. */
function recreate(itemId: string): Write {
  return changeOf(itemId, "duplicate");
}

export function describeDecisions({ open }: Harness): void {
  describe("one atomic step for each decision", () => {
    it("commits all writes of a decision, and returns the outcome and the sequence of its change", async () => {
      const { storage, createVault, find, write } = await open();
      await createVault();
      const change = changeOf("item-1", "a");
      const committed = await storage.transact(refOf(), commitWrites([activate, change], "done"));
      expect(committed).toEqual({ outcome: "done", sequence: 1 });
      expect(await find(itemRef("item-1"))).toMatchObject({ ...change.item, ...change.content, sequence: 1 });
      expect(await write()).toBeUndefined();
    });

    it("commits none of the writes when one of them fails", async () => {
      const { storage, createVault, put, write, find } = await open();
      await createVault();
      await put(itemRef("item-1"), "first", 0);
      await expect(write(activate, recreate("item-1"))).rejects.toMatchObject({ name: "StorageError" });
      const access = await readAccess(storage, { tenantId, principalId, oauthClientId, tokenId: "t", grantId: "" });
      expect(access.principalActive).toBe(false);
      expect(await find(itemRef("item-1"))).toMatchObject({ ...contentOf("first"), version: 1, sequence: 1 });
    });

    it("commits the other 63 calls of a batch when one call fails, with gapless sequences", async () => {
      const { createVault, put, write } = await open();
      await createVault();
      await put(itemRef("item-0"), "first", 0);
      const results = await Promise.allSettled(
        Array.from({ length: 64 }, async (_, index) =>
          index === 31 ? write(recreate("item-0")) : (await put(itemRef(`item-${index + 1}`), "new", 0)).sequence,
        ),
      );
      expect(results.map(({ status }) => status).indexOf("rejected")).toBe(31);
      const sequences = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      expect(sequences).toEqual(Array.from({ length: 63 }, (_, index) => index + 2));
    });

    it("rejects with the error that the decision throws, and writes nothing of that call", async () => {
      const { storage, createVault, put } = await open();
      await createVault();
      const [before, broken, after] = await Promise.allSettled([
        put(itemRef("item-1"), "before", 0),
        storage.transact(refOf(), throwRangeError("a rule is broken")),
        put(itemRef("item-2"), "after", 0),
      ]);
      expect(broken).toEqual({ status: "rejected", reason: new RangeError("a rule is broken") });
      expect(before).toMatchObject({ value: { sequence: 1 } });
      expect(after).toMatchObject({ value: { sequence: 2 } });
    });

    it("shows a decision the writes of earlier decisions, also in the same batch", async () => {
      const { createVault, put, remove, restore } = await open();
      await createVault();
      const item = itemRef("item-1");
      const results = await Promise.all([
        put(item, "a", 0),
        put(item, "b", 1),
        remove(item, 2),
        restore(item, 3),
        put(item, "c", 3),
        put(item, "c", 4),
      ]);
      expect(results.map(({ outcome }) => outcome.ok)).toEqual([true, true, true, true, false, true]);
      expect(results.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, undefined, 5]);
    });

    it("checks whether a call is wanted only just before it begins", async () => {
      const { storage, write } = await open();
      let wanted = true;
      const call = storage.transact(refOf(), commitWrites([]), { wanted: () => wanted });
      wanted = false;
      await expect(call).rejects.toMatchObject({ reason: "dropped" });
      await expect(write()).resolves.toBeUndefined();
    });
  });
}
