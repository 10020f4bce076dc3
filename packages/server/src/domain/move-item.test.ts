import { expect, it } from "vitest";
import { createMemoryStorage } from "../testing/cases/memory-storage.js";
import { actor, contentOf, createFixture, itemRef, principalId, tenantId } from "../testing/storage-suite/fixture.js";
import { createDelegation } from "../testing/storage-suite/values.js";
import { delegations } from "./model/delegation.js";
import { noEarlier } from "./model/item.js";
import { moveItem } from "./move-item.js";

const [from, to] = [itemRef("item-1"), itemRef("item-2", "vault-2")];
const conflict = (itemId: string, currentVersion: number, deleted: boolean) => {
  return { ok: false, reason: "VERSION_CONFLICT", conflict: { itemId, currentVersion, deleted } };
};

/** Creates two vaults with an item at version 1 in the first, whose deletions are counted. */
async function setUp() {
  const storage = createMemoryStorage();
  const fixture = createFixture(storage);
  await fixture.createVault();
  await fixture.createVault("vault-2");
  await fixture.put(from, "a", 0);
  const bounds = { vaults: ["vault-1", "vault-2"], maxDeletions: 1 };
  const owner = { tenantId, principalId, oauthClientId: actor.oauthClientId, delegationId: "d-1", bounds };
  await createDelegation(storage, owner, fixture.clock.now());
  const record = delegations.key(tenantId, "d-1");
  const move = async (baseVersion = 1) => {
    const moved = { ref: to, content: contentOf("moved"), earlier: noEarlier };
    const rule = moveItem(moved, baseVersion, actor, fixture.clock.now(), "d-1");
    const ref = { kind: "item", ...from, principalId, record, to: { ...to, principalId } } as const;
    return (await storage.transact(ref, rule)).outcome;
  };
  const used = () => delegations.read(storage.find(record))?.deletions;
  return { ...fixture, move, used };
}

type Fixture = Awaited<ReturnType<typeof setUp>>;
const roleIn = (vaultId: string, role: string | undefined) => (fixture: Fixture) =>
  fixture.write({ kind: "member", tenantId, vaultId, principalId, role });

it.each<[title: string, before: (fixture: Fixture) => Promise<unknown>, outcome: object]>([
  ["who is not a member of the first vault", roleIn("vault-1", undefined), { reason: "VAULT_NOT_FOUND" }],
  ["who is not a member of the other vault", roleIn("vault-2", undefined), { reason: "VAULT_NOT_FOUND" }],
  [
    "who is not a member of the other vault, whatever the item is",
    async (fixture) => {
      await fixture.put(from, "b", 1);
      await roleIn("vault-2", undefined)(fixture);
    },
    { reason: "VAULT_NOT_FOUND" },
  ],
  ["who may not delete in the first vault", roleIn("vault-1", "viewer"), { reason: "ROLE_FORBIDS_DELETE" }],
  ["who may not write in the other vault", roleIn("vault-2", "viewer"), { reason: "ROLE_FORBIDS_CHANGE" }],
  ["after a change of the item", ({ put }) => put(from, "b", 1), conflict("item-1", 2, false)],
  ["of what was deleted otherwise", ({ remove }) => remove(from, 1), conflict("item-1", 2, true)],
  ["to an id that is taken", ({ put }) => put(to, "b", 0), conflict("item-2", 1, false)],
  ["to an item that has its content already", ({ put }) => put(to, "moved", 0), conflict("item-2", 1, false)],
])("nothing moves and no deletion counts for a caller %s", async (_, before, outcome) => {
  const fixture = await setUp();
  await before(fixture);
  const state = JSON.stringify([await fixture.find(from), await fixture.find(to)]);
  expect(await fixture.move()).toMatchObject({ ok: false, ...outcome });
  expect(JSON.stringify([await fixture.find(from), await fixture.find(to)])).toBe(state);
  expect(fixture.used()).toBe(0);
});

it("a move counts one deletion, its retry none, and nothing moves beyond the budget", async () => {
  const { move, used, put, restore, remove } = await setUp();
  expect(await move()).toMatchObject({ ok: true, item: { ...to, version: 1 } });
  expect(await move()).toMatchObject({ ok: true, item: { ...to, version: 1, sequence: 1 } });
  expect(used()).toBe(1);
  await put(to, "changed since", 1);
  expect(await move()).toMatchObject(conflict("item-2", 2, false));
  await restore(from, 2);
  await remove(to, 2);
  expect(await move(3)).toMatchObject({ ok: false, reason: "DELEGATION_EXHAUSTED", allowed: 1, used: 1 });
});
