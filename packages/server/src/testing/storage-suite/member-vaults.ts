import { describe, expect, it } from "vitest";
import type { Storage } from "../../ports/storage.js";
import { itemRef, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";

export function describeMemberVaults({ open }: Harness): void {
  describe("listVaults: the vaults of a member in the order of their ids", () => {
    const idsOf = async (storage: Storage, who: string, afterVaultId?: string, limit = 100) =>
      (await storage.listVaults({ tenantId, principalId: who, afterVaultId, limit })).map(({ vaultId }) => vaultId);

    it("lists role, retention and head of each vault, and none to others", async () => {
      const { storage, createVault, put, write } = await open();
      await createVault("vault-1", 7);
      await createVault("vault-2", 0);
      await put(itemRef("item-1", "vault-2"), "a", 0);
      await write({ kind: "member", tenantId, vaultId: "vault-2", principalId, role: "viewer" });
      expect(await storage.listVaults({ tenantId, principalId, limit: 9 })).toEqual([
        { vaultId: "vault-1", role: "member", retentionDays: 7, head: 0 },
        { vaultId: "vault-2", role: "viewer", retentionDays: 0, head: 1 },
      ]);
      expect(await idsOf(storage, "principal-2")).toEqual([]);
      expect(await idsOf(storage, "")).toEqual([]);
    });

    it("lists only vaults of the tenant, also if the principal has the same id in another one", async () => {
      const { storage, createVault, write } = await open();
      await createVault("vault-2");
      await write(
        { kind: "vault", vault: { tenantId: "tenant-2", vaultId: "vault-1", retentionDays: 30, accessRevision: 0 } },
        { kind: "member", tenantId: "tenant-2", vaultId: "vault-1", principalId, role: "owner" },
      );
      expect(await idsOf(storage, principalId)).toEqual(["vault-2"]);
      expect(await storage.listVaults({ tenantId: "tenant-2", principalId, limit: 9 })).toMatchObject([
        { vaultId: "vault-1", role: "owner" },
      ]);
    });

    it("pages by id, compared by its bytes", async () => {
      const { storage, createVault } = await open();
      const ids = ["0", "A", "A-1", "A.1", "B", "a", "a_", "b"];
      for (const id of ids.toReversed()) await createVault(id);
      expect(await idsOf(storage, principalId)).toEqual(ids);
      expect(await idsOf(storage, principalId, undefined, 2)).toEqual(["0", "A"]);
      expect(await idsOf(storage, principalId, "A", 3)).toEqual(["A-1", "A.1", "B"]);
      expect(await idsOf(storage, principalId, "a_")).toEqual(["b"]);
      expect(await idsOf(storage, principalId, "b")).toEqual([]);
    });
  });
}
