import { describe, expect, it } from "vitest";
import { principals } from "../../domain/model/access.js";
import { lastSequence } from "../../domain/model/vault.js";
import type { Ref } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import { actor, changeOf, contentOf, itemRef, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { readItemStatus } from "./rules.js";

export function describeHistory({ open }: Harness): void {
  describe("a vault's history: sequences from 1, without gaps", () => {
    it("counts each vault separately, also vaults with the same id in other tenants", async () => {
      const { storage, createVault, put, write } = await open();
      const foreign = { tenantId: "tenant-2", vaultId: "vault-1" };
      await createVault();
      await createVault("vault-2");
      await write({ kind: "vault", vault: { ...foreign, retentionDays: 30, accessRevision: 0 } });
      await put(itemRef("item-1"), "a", 0);
      await put(itemRef("item-2"), "b", 0);
      expect(await put(itemRef("item-1", "vault-2"), "c", 0)).toMatchObject({ sequence: 1 });
      expect(await put({ ...foreign, itemId: "item-1" }, "d", 0)).toMatchObject({ sequence: 1 });
      const page = await storage.listChanges({ ...foreign, afterSequence: 0, limit: 9 });
      expect(page.items).toMatchObject([{ ...foreign, itemId: "item-1", ...contentOf("d") }]);
    });

    it("assigns the last sequence, 4 294 967 295, and then fails as sequence_exhausted without a write", async () => {
      const { storage, createVault, put, write, find, setSequence } = await open();
      await createVault();
      await setSequence(tenantId, "vault-1", lastSequence - 1);
      expect(await put(itemRef("item-1"), "a", 0)).toMatchObject({ sequence: lastSequence });

      const beyond = write(principals.create({ tenantId, principalId, active: true }, 0), changeOf("item-2", "b"));
      await expect(beyond).rejects.toMatchObject({ name: "StorageError", reason: "sequence_exhausted" });
      expect(await find(itemRef("item-2"))).toBeUndefined();
      expect(await readAccess(storage, { ...actor, grantId: "" })).toMatchObject({ principalActive: false });
      await expect(put(itemRef("item-1"), "c", 1)).rejects.toMatchObject({ reason: "sequence_exhausted" });
      expect(await find(itemRef("item-1"))).toMatchObject({ ...contentOf("a"), version: 1, sequence: lastSequence });
    });
  });

  describe("membership", () => {
    it("increments the vault's accessRevision with every change of a member, and loads the role of the ref's principal", async () => {
      const { storage, createVault, write } = await open();
      const snapshotOf = async (who: string) =>
        (await storage.transact({ kind: "item", ...itemRef("item-1"), principalId: who }, readItemStatus())).outcome;
      const member = { kind: "member", tenantId, vaultId: "vault-1", principalId: "principal-2" } as const;
      await createVault();
      const before = (await snapshotOf(principalId)).vault?.accessRevision ?? Number.NaN;

      await write({ ...member, role: "viewer" });
      expect(await snapshotOf("principal-2")).toMatchObject({ role: "viewer", vault: { accessRevision: before + 1 } });
      await write({ ...member, role: "admin" });
      expect(await snapshotOf("principal-2")).toMatchObject({ role: "admin", vault: { accessRevision: before + 2 } });
      await write({ ...member, role: undefined });
      expect(await snapshotOf("principal-2")).toMatchObject({ role: undefined, vault: { accessRevision: before + 3 } });
      expect((await snapshotOf(principalId)).role).toBe("member");
    });

    it("loads no item for a principal that is not a member, and every item for a ref without a principal", async () => {
      const { storage, createVault, put } = await open();
      const itemIn = async (ref: Extract<Ref, { kind: "item" }>) =>
        (await storage.transact(ref, readItemStatus())).outcome.version;
      await createVault();
      await put(itemRef("item-1"), "a", 0);
      const ref = { kind: "item", ...itemRef("item-1") } as const;
      expect(await itemIn({ ...ref, principalId })).toBe(1);
      expect(await itemIn({ ...ref, principalId: "principal-2" })).toBeUndefined();
      expect(await itemIn({ ...ref, principalId: "" })).toBeUndefined();
      expect(await itemIn(ref)).toBe(1);
    });
  });
}
