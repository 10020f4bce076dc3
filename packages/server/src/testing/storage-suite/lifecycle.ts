import { describe, expect, it } from "vitest";
import { readAccess } from "../../services/read-access.js";
import { actor, contentOf, itemRef, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";

export function describeLifecycle({ open }: Harness): void {
  describe("check and close", () => {
    it("passes a check while it is open, and fails it as unavailable when it is closed", async () => {
      const { storage } = await open();
      await expect(storage.check()).resolves.toBeUndefined();
      await storage.close();
      await expect(storage.check()).rejects.toMatchObject({ name: "StorageError", reason: "unavailable" });
    });

    it("verifies intact data repeatedly without an error", async () => {
      const { storage, createVault, put, remove } = await open();
      await storage.verify();
      await createVault();
      await put(itemRef("item-1"), "a", 0);
      await put(itemRef("item-2"), "b", 0);
      await remove(itemRef("item-2"), 1);
      for (let turn = 0; turn < 5; turn += 1) await expect(storage.verify()).resolves.toBeUndefined();
      await storage.close();
      await expect(storage.verify()).rejects.toMatchObject({ name: "StorageError", reason: "unavailable" });
    });

    it("finishes the queued calls on close, then fails every later call as unavailable", async () => {
      const { storage, createVault, put } = await open();
      await createVault();
      const queued = Array.from({ length: 600 }, (_, index) => put(itemRef(`item-${index}`), "a", 0));
      const closing = storage.close();
      const late = put(itemRef("late"), "a", 0);
      await expect(late).rejects.toMatchObject({ name: "StorageError", reason: "unavailable" });
      expect(await Promise.all(queued)).toHaveLength(600);
      await closing;
      const unavailable = { name: "StorageError", reason: "unavailable" };
      const page = { tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 };
      await expect(readAccess(storage, { ...actor, grantId: "" })).rejects.toMatchObject(unavailable);
      await expect(storage.listChanges(page)).rejects.toMatchObject(unavailable);
      await expect(storage.listShreddable(0, 9)).rejects.toMatchObject(unavailable);
      await expect(storage.purge(0, 9)).rejects.toMatchObject(unavailable);
      await expect(storage.close()).resolves.toBeUndefined();
    });

    it("contains everything when it is reopened", async () => {
      const { storage, createVault, put, remove, reopen } = await open();
      await createVault();
      await put(itemRef("item-1"), "a", 0);
      await put(itemRef("item-2"), "b", 0);
      await remove(itemRef("item-1"), 1);
      const query = { tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 };
      const before = await storage.listChanges(query);
      await storage.close();
      const after = await (await reopen()).listChanges(query);
      expect(after).toEqual(before);
      expect(after.items).toMatchObject([contentOf("b"), { ...contentOf("a"), state: "deleted" }]);
    });
  });
}
