import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createSecrets } from "../tokens/secrets.js";
import type { Call } from "./call.js";
import { createItemOperations } from "./items.js";
import { createVaultOperations } from "./vaults.js";

const content = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [],
};

function callOf(principalId: string, tenantId = "t-1"): Call {
  const actor = { tenantId, principalId, oauthClientId: "c-1", tokenId: "jti-1", operation: "any", requestId: "r-1" };
  return { actor, wanted: () => true };
}

/** Creates the operations of members on an empty SQLite database in memory. */
function open() {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const deps = { storage, clock, secrets: createSecrets({ hmacKey: new Uint8Array(32), clock }) };
  const { createVault, setVaultMember, listVaults } = createVaultOperations(deps);
  return {
    addVault: async (vaultId: string, ...members: readonly (readonly [principalId: string, role: string])[]) => {
      await createVault({ tenantId: "t-1", vaultId, retentionDays: undefined }, callOf("admin"));
      for (const [principalId, role] of members) {
        await setVaultMember({ tenantId: "t-1", vaultId, principalId, role }, callOf("admin"));
      }
    },
    listVaults,
    ...createItemOperations(deps),
  };
}

describe("the operations of members", () => {
  it("put, delete, restore and read an item, and list each change once", async () => {
    const vault = open();
    await vault.addVault("v-1", ["p-1", "member"]);
    const call = callOf("p-1");
    const put = await vault.putItem({ access: "member", vaultId: "v-1", itemId: "", baseVersion: 0, ...content }, call);
    if (!put.ok) return expect.unreachable(put.reason);
    const ref = { access: "member", vaultId: "v-1", itemId: put.item.itemId } as const;
    expect(put.item).toMatchObject({ itemId: expect.stringMatching(/^[0-9a-f-]{36}$/), version: 1, sequence: 1 });
    await vault.deleteItem({ ...ref, baseVersion: 1 }, call);
    const restored = await vault.restoreItem({ ...ref, baseVersion: 2 }, call);
    expect(restored).toMatchObject({ ok: true, item: { ...content, version: 3, state: "live", sequence: 3 } });
    expect(await vault.getItem(ref, call)).toEqual(restored);
    expect(await vault.listChanges({ access: "member", vaultId: "v-1", afterSequence: 0, limit: 9 }, call)).toEqual({
      ok: true,
      items: [restored.ok && restored.item],
      sequence: 3,
      hasMore: false,
    });
  });

  it("lists the caller's vaults in pages", async () => {
    const { addVault, listVaults } = open();
    for (const id of ["v-3", "v-1", "v-2"]) await addVault(id, ["p-1", "viewer"], ["p-2", "owner"]);
    await addVault("v-4", ["p-2", "owner"]);
    const first = await listVaults({ limit: 2 }, callOf("p-1"));
    expect(first).toMatchObject({ vaults: [{ vaultId: "v-1" }, { vaultId: "v-2" }], hasMore: true });
    const second = await listVaults({ afterVaultId: "v-2", limit: 1 }, callOf("p-1"));
    expect(second).toMatchObject({ vaults: [{ vaultId: "v-3", role: "viewer" }], hasMore: false });
  });

  it("lists only those of the named vaults of which the caller is a member", async () => {
    const { addVault, listVaults } = open();
    for (const id of ["v-1", "v-2", "v-3"]) await addVault(id, ["p-1", "owner"]);
    await addVault("v-4", ["p-2", "owner"]);
    const named = { vaultIds: ["v-4", "v-3", "v-1", "v-5"] };
    const all = await listVaults({ ...named, limit: 9 }, callOf("p-1"));
    expect(all).toMatchObject({ vaults: [{ vaultId: "v-1" }, { vaultId: "v-3" }], hasMore: false });
    expect(await listVaults({ ...named, limit: 1 }, callOf("p-1"))).toMatchObject({ hasMore: true });
    expect(await listVaults({ vaultIds: [], limit: 9 }, callOf("p-1"))).toEqual({ vaults: [], hasMore: false });
  });

  it("a caller who is not a member gets the results of an empty platform, whatever exists", async () => {
    const full = open();
    const empty = open();
    await full.addVault("v-1", ["p-1", "owner"]);
    await full.addVault("v-2", ["p-1", "owner"]);
    const owner = callOf("p-1");
    for (const itemId of ["i-1", "i-2"]) {
      await full.putItem({ access: "member", vaultId: "v-1", itemId, baseVersion: 0, ...content }, owner);
    }
    await full.deleteItem({ vaultId: "v-1", itemId: "i-2", baseVersion: 1 }, owner);
    const anyCall = fc.record({
      operation: fc.constantFrom("listVaults", "listChanges", "getItem", "putItem", "restoreItem"),
      call: fc.constantFrom(callOf("p-2"), callOf(""), callOf("p-1", "t-2"), callOf("P-1")),
      vaultId: fc.constantFrom("v-1", "v-2", "v-3"),
      itemId: fc.constantFrom("i-1", "i-2", "i-3"),
      number: fc.nat(4),
    });
    const perform = (platform: ReturnType<typeof open>, { operation, call, vaultId, itemId, number }: AnyCall) => {
      const item = { access: "member", vaultId, itemId, baseVersion: number } as const;
      switch (operation) {
        case "listVaults":
          return platform.listVaults({ afterVaultId: vaultId, limit: number + 1 }, call);
        case "listChanges":
          return platform.listChanges({ access: "member", vaultId, afterSequence: number, limit: 9 }, call);
        case "getItem":
          return platform.getItem(item, call);
        case "putItem":
          return platform.putItem({ ...item, ...content }, call);
        case "restoreItem":
          return platform.restoreItem(item, call);
      }
    };
    type AnyCall = typeof anyCall extends fc.Arbitrary<infer One> ? One : never;
    await fc.assert(
      fc.asyncProperty(anyCall, async (one) => {
        expect(await perform(full, one)).toEqual(await perform(empty, one));
      }),
      { numRuns: 300 },
    );
    expect(await full.listVaults({ limit: 9 }, owner)).toMatchObject({
      vaults: [{ vaultId: "v-1", head: 3 }, { head: 0 }],
    });
  });
});
