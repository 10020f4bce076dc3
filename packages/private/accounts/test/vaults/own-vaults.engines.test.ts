import type { Call } from "@platform-rpc/server";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ownCall } from "../../src/http/own-call.js";
import { createVaultHeads } from "../../src/members/vault-heads.js";
import { inMemoryPlatform } from "../../src/testing/in-memory-platform.js";
import { content } from "../../src/testing/item-content.js";
import { createOwnVaults, mostOwnVaults, type OwnVaults } from "../../src/vaults/own-vaults.js";

const tenantId = "acme";
let platform: Awaited<ReturnType<typeof inMemoryPlatform>>;
let vaults: OwnVaults;
beforeEach(async () => {
  platform = await inMemoryPlatform();
  onTestFinished(platform.close);
  vaults = createOwnVaults(platform);
});

const callAs = (principalId: string): Call => {
  const call = ownCall("test", platform.secrets);
  return { ...call, actor: { ...call.actor, tenantId, principalId } };
};
const uuid = () => crypto.randomUUID();
const newKey = () => ({ keyId: uuid(), wrappedKey: uuid() });
const newVault = () => ({ vaultId: uuid(), key: newKey(), encryptedName: "bmFtZQ" });
const put = (vaultId: string, itemId: string, call: Call, baseVersion = 0) =>
  platform.own.putItem({ access: "member", vaultId, itemId, baseVersion, ...content }, call);
const listed = async (call: Call) => (await platform.own.listVaults({ limit: 100 }, call)).vaults;
const states = async (vaultId: string, call: Call) => {
  const changes = await platform.own.listChanges({ access: "member", vaultId, afterSequence: 0, limit: 100 }, call);
  return changes.ok ? changes.items.map(({ state }) => state) : expect.unreachable(changes.reason);
};

describe("CreateVault", () => {
  it("creates a vault with its key and name, of which the caller is the owner", async () => {
    const ada = callAs("ada");
    const wanted = newVault();
    const created = await vaults.create(wanted, ada);
    expect(created).toMatchObject({ ok: true, vault: { vaultId: wanted.vaultId, role: "owner", retentionDays: 30 } });
    expect(await listed(ada)).toEqual([{ vaultId: wanted.vaultId, role: "owner", retentionDays: 30, head: 0 }]);
    expect(await vaults.readKey(wanted.vaultId, ada)).toMatchObject({
      keyId: wanted.key.keyId,
      epoch: 1,
      wrappedKeys: [{ principalId: "ada", wrappedKey: wanted.key.wrappedKey }],
      nameRevision: 1,
    });
  });

  it("a retry returns the same vault, and writes nothing", async () => {
    const ada = callAs("ada");
    const wanted = newVault();
    const first = await vaults.create(wanted, ada);
    expect(await vaults.create(wanted, ada)).toEqual(first);
    expect(await listed(ada)).toHaveLength(1);
  });

  it.each([
    ["of the caller, with another name", "ada", { encryptedName: "b3RoZXI" }],
    ["of somebody else", "bob", {}],
  ])("the id of a vault %s is taken", async (_, principalId, changes) => {
    const wanted = newVault();
    await vaults.create(wanted, callAs("ada"));
    const taken = await vaults.create({ ...wanted, ...changes }, callAs(principalId));
    expect(taken).toEqual({ ok: false, reason: "VAULT_ALREADY_EXISTS" });
    expect(await listed(callAs("bob"))).toEqual([]);
  });

  it("a person never owns more than 50, however many they create at the same time, and a deleted one does not count", async () => {
    const ada = callAs("ada");
    for (let left = mostOwnVaults - 3; left > 0; left -= 1) await vaults.create(newVault(), ada);
    await Promise.all(Array.from({ length: 8 }, () => vaults.create(newVault(), ada)));
    while ((await vaults.create(newVault(), ada)).ok);
    expect(await listed(ada)).toHaveLength(mostOwnVaults);
    expect(await vaults.create(newVault(), ada)).toEqual({ ok: false, reason: "TOO_MANY_VAULTS" });
    const [one] = await listed(ada);
    await vaults.remove({ vaultId: one?.vaultId ?? "", deleteItems: false }, ada);
    expect(await vaults.create(newVault(), ada)).toMatchObject({ ok: true });
  });
});

describe("CreateVaultKey", () => {
  it("of two browsers, the first wins, and both have the same key then", async () => {
    const ada = callAs("ada");
    await platform.own.createVault({ tenantId, vaultId: "ada", retentionDays: 30 }, ada);
    await platform.own.setVaultMember({ tenantId, vaultId: "ada", principalId: "ada", role: "owner" }, ada);
    const [one, other] = [newKey(), newKey()];
    const outcomes = await Promise.all([vaults.createKey({ key: one }, ada), vaults.createKey({ key: other }, ada)]);
    expect(outcomes).toMatchObject([{ ok: true }, { ok: false, reason: "VAULT_KEY_EXISTS" }]);
    expect(await vaults.createKey({ key: one }, ada)).toMatchObject({ ok: true, key: { keyId: one.keyId } });
    expect(await vaults.readKey("ada", ada)).toMatchObject({ keyId: one.keyId, encryptedName: "" });
  });
});

describe("RenameVault", () => {
  it("replaces the name at its revision, and a retry returns the new one", async () => {
    const ada = callAs("ada");
    const { vaultId } = await created(ada);
    const renamed = { vaultId, revision: 1, encryptedName: "b3RoZXI" };
    expect(await vaults.rename(renamed, ada)).toEqual({ ok: true, revision: 2 });
    expect(await vaults.rename(renamed, ada)).toEqual({ ok: true, revision: 2 });
    expect(await vaults.rename({ ...renamed, encryptedName: "bmV3" }, ada)).toEqual({
      ok: false,
      reason: "VAULT_CHANGED",
    });
  });
});

describe("PutVaultHead", () => {
  const head = (sequence: number, letter = "A") => {
    return { sequence, items: 1, hash: letter.repeat(43), writerId: "ada", signature: letter.repeat(86) };
  };

  it("stores a member's head with the largest sequence, for that member, and none of a viewer or stranger", async () => {
    const [ada, bob, cy, eve] = [callAs("ada"), callAs("bob"), callAs("cy"), callAs("eve")];
    const { vaultId } = await created(ada);
    await platform.own.setVaultMember({ tenantId, vaultId, principalId: "bob", role: "member" }, ada);
    await platform.own.setVaultMember({ tenantId, vaultId, principalId: "cy", role: "viewer" }, ada);
    for (const itemId of ["i-1", "i-2", "i-3"]) await put(vaultId, itemId, ada);
    const heads = createVaultHeads(platform.own);
    const stored = async (call: Call) => (await heads.read([vaultId], call))[0];
    // In turn: each one, and what is stored then. The vault has 3 changes.
    for (const [next, expected] of [
      [head(2), head(2)],
      [head(1), head(2)],
      [head(2, "B"), head(2)],
      [head(4), head(2)],
      [head(3), head(3)],
    ] as const) {
      expect(await heads.put(vaultId, next, ada)).toEqual({ ok: true });
      expect(await stored(ada)).toMatchObject(expected);
    }
    expect(await heads.put(vaultId, head(1, "B"), bob)).toEqual({ ok: true });
    expect(await heads.put(vaultId, head(1), cy)).toEqual({ ok: false, reason: "ROLE_FORBIDS_CHANGE" });
    expect(await heads.put(vaultId, head(1), eve)).toEqual({ ok: false, reason: "VAULT_NOT_FOUND" });
    const all = [await stored(ada), await stored(bob), await stored(cy), await stored(eve)];
    expect(all).toMatchObject([head(3), head(1, "B"), undefined, undefined]);
  });
});

describe("DeleteVault", () => {
  it("deletes all items, which can be restored, and the vault", async () => {
    const ada = callAs("ada");
    const { vaultId } = await created(ada);
    for (const itemId of ["i-1", "i-2", "i-3"]) await put(vaultId, itemId, ada);
    expect(await vaults.remove({ vaultId, deleteItems: false }, ada)).toEqual({ ok: false, reason: "VAULT_NOT_EMPTY" });
    expect(await states(vaultId, ada)).toEqual(["live", "live", "live"]);
    expect(await vaults.remove({ vaultId, deleteItems: true }, ada)).toEqual({ ok: true, deletedItems: 3 });
    expect(await states(vaultId, ada)).toEqual(["deleted", "deleted", "deleted"]);
    expect(await vaults.readKey(vaultId, ada)).toMatchObject({ deletedAt: platform.clock.now() });
    expect(await vaults.isDeleted(vaultId, ada)).toBe(true);
    const restored = await platform.own.restoreItem({ access: "member", vaultId, itemId: "i-1", baseVersion: 2 }, ada);
    expect(restored).toMatchObject({ ok: true });
    expect(await vaults.isDeleted(vaultId, ada)).toBe(false);
  });

  const exhausted = (allowed: number) => ({ ok: false, reason: "DELEGATION_EXHAUSTED", allowed, used: 0 });
  it.each([
    [0, 1, { ok: true, deletedItems: 0 }],
    [0, 0, exhausted(0)],
    [2, 3, { ok: true, deletedItems: 2 }],
    [2, 2, exhausted(2)],
    [2, 1, exhausted(1)],
  ])(
    "by software counts as a deletion, besides %d items, and deletes nothing with too small a budget: with %d",
    async (count, maxDeletions, outcome) => {
      const ada = callAs("ada");
      const { vaultId } = await created(ada);
      for (let index = 0; index < count; index += 1) await put(vaultId, `i-${index}`, ada);
      const owner = { tenantId, principalId: "ada", oauthClientId: "agent" };
      const expiresAt = platform.clock.now() + 1000;
      const unused = { deletions: 0, lastDeletionAt: undefined, endedAt: undefined, createdAt: 0, expiresAt };
      const delegation = { delegationId: "d-1", ...owner, ...unused, bounds: { maxDeletions } };
      const place = { ...owner, collection: "delegation", key: "d-1", createdAt: 0, expiresAt };
      await platform.own.putRecord({ record: { ...place, value: JSON.stringify(delegation) } }, ada);
      const remove = () => vaults.remove({ vaultId, deleteItems: true }, { ...ada, delegation });
      expect(await remove()).toEqual(outcome);
      expect(await states(vaultId, ada)).toEqual(
        Array.from({ length: count }, () => (outcome.ok ? "deleted" : "live")),
      );
      // A retry costs nothing.
      expect(await remove()).toEqual(outcome.ok ? { ...outcome, deletedItems: 0 } : outcome);
      expect((await vaults.readKey(vaultId, ada))?.deletedAt !== undefined).toBe(outcome.ok);
    },
  );

  it("an item that changes while the vault is deleted is deleted, too", async () => {
    const ada = callAs("ada");
    const { vaultId } = await created(ada);
    await put(vaultId, "i-1", ada);
    const { own, operations, clock } = platform;
    let replaced = false;
    const racing = createOwnVaults({
      own,
      clock,
      operations: {
        ...operations,
        async deleteItem(input, call) {
          if (!replaced) await put(vaultId, "i-1", ada, 1);
          replaced = true;
          return operations.deleteItem(input, call);
        },
      },
    });
    expect(await racing.remove({ vaultId, deleteItems: true }, ada)).toEqual({ ok: true, deletedItems: 1 });
    expect(await states(vaultId, ada)).toEqual(["deleted"]);
  });
});

/** Creates a vault. */
async function created(call: Call) {
  const wanted = newVault();
  await vaults.create(wanted, call);
  return wanted;
}
