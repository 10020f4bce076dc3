import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { deleteItem } from "../../../src/domain/delete-item.js";
import { noEarlier } from "../../../src/domain/model/item.js";
import { moveItem } from "../../../src/domain/move-item.js";
import { createTestDatabase } from "../../../src/storage/postgres/testing/test-database.js";
import {
  actor,
  contentOf,
  createFixture,
  itemRef,
  principalId,
  tenantId,
} from "../../../src/testing/storage-suite/fixture.js";
import { commitWrites } from "../../../src/testing/storage-suite/rules.js";
import { openStorage } from "./testing/open-storages.js";

/** Opens a storage in which a deletion of "item-1" waits for the lock of its vault, until `release` is called. */
async function openBusy() {
  const url = await createTestDatabase();
  const storage = await openStorage({ url });
  const fixture = createFixture(storage);
  await fixture.createVault();
  for (const id of ["item-1", "item-2"]) await fixture.put(itemRef(id), id, 0);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query("BEGIN");
  await other.query("SELECT * FROM vaults FOR UPDATE");
  const done: string[] = [];
  const remove = (itemId: string, who = principalId, vaultId = "vault-1") => {
    const ref = { kind: "item", ...itemRef(itemId, vaultId), principalId: who } as const;
    return storage.transact(ref, deleteItem(1, actor, 0)).then(({ outcome }) => {
      done.push(`${who} ${itemId}`);
      return outcome;
    });
  };
  const removed = remove("item-1");
  await expect.poll(() => other.query("SELECT 1 FROM pg_locks WHERE NOT granted")).toMatchObject({ rowCount: 1 });
  return { storage, remove, removed, done, release: () => other.query("COMMIT") };
}

it("DECISIONS section 3: a stranger's refusal does not wait for a commit of the vault, so that its time does not reveal the vault", async () => {
  const { remove, removed, done, release } = await openBusy();
  const next = remove("item-2");
  expect(await remove("item-1", "stranger")).toMatchObject({ ok: false, reason: "VAULT_NOT_FOUND" });
  expect(await remove("item-1", "stranger", "vault-9")).toMatchObject({ ok: false, reason: "VAULT_NOT_FOUND" });
  expect(done).toEqual(["stranger item-1", "stranger item-1"]);
  await release();
  expect(await Promise.all([removed, next])).toMatchObject([{ ok: true }, { ok: true }]);
});

it("DECISIONS section 3: a move to a vault of others is refused at once, whether or not that vault exists and is busy", async () => {
  const { storage, removed, done, release } = await openBusy();
  const own = createFixture(storage);
  await own.createVault("vault-2");
  const move = async (vaultId: string) => {
    const to = { ...itemRef("item-2", vaultId), principalId: "guest" };
    const ref = { kind: "item", ...itemRef("item-2", "vault-2"), principalId: "guest", to } as const;
    const moved = { ref: itemRef("item-2", vaultId), content: contentOf("b"), earlier: noEarlier };
    return (await storage.transact(ref, moveItem(moved, 1, actor, 0))).outcome;
  };
  await own.write({ kind: "member", tenantId, vaultId: "vault-2", principalId: "guest", role: "member" });
  for (const vaultId of ["vault-1", "vault-9"])
    expect(await move(vaultId)).toMatchObject({ ok: false, reason: "VAULT_NOT_FOUND" });
  expect(done).toEqual([]);
  await release();
  await removed;
});

it("calls of members wait for their turn, in order, also while strangers call", async () => {
  const { remove, done, release, storage } = await openBusy();
  const calls = ["item-2", "item-2", "item-2"].flatMap((id) => [remove(id), remove(id, "stranger")]);
  await expect.poll(() => done).toHaveLength(3);
  await release();
  const outcomes = await Promise.all(calls);
  expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, false, true, false, true, false]);
  const { items } = await storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 10 });
  expect(items.map(({ itemId, version }) => `${itemId} ${version}`)).toEqual(["item-1 2", "item-2 2"]);
});

it("accepts the call of a person who becomes a member before it waits for its turn", async () => {
  const { remove, release, storage } = await openBusy();
  const vault = { tenantId, vaultId: "vault-1" };
  const joins = { kind: "member", ...vault, principalId: "guest", role: "member" } as const;
  const joined = storage.transact({ kind: "vault", ...vault }, commitWrites([joins]));
  const guest = remove("item-2", "guest");
  await release();
  await joined;
  expect(await guest).toMatchObject({ ok: true });
});
