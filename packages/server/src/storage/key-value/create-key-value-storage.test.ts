import { describe, expect, it } from "vitest";
import { deleteItem } from "../../domain/delete-item.js";
import type { ItemSnapshot } from "../../domain/model/vault.js";
import { defineRule } from "../../domain/rule.js";
import type { KeyValueStore } from "../../ports/key-value-store.js";
import { StorageError } from "../../ports/storage.js";
import {
  actor,
  auditOf,
  changeOf,
  createFixture,
  itemRef,
  revocationOf,
  tenantId,
} from "../../testing/storage-suite/fixture.js";
import { createMemoryStore } from "../memory/create-memory-store.js";
import { createKeyValueStorage } from "./create-key-value-storage.js";

/** Opens a storage, and another one of another process. `before` runs once, before the next commit of the first one. */
async function openTwo() {
  const values = new Map<string, string>();
  const store = createMemoryStore(values);
  let before: (() => Promise<unknown>) | undefined;
  const storage = createKeyValueStorage({
    ...store,
    async commit(commit) {
      const work = before;
      before = undefined;
      await work?.();
      return store.commit(commit);
    },
  });
  const other = createFixture(createKeyValueStorage(createMemoryStore(values)));
  await other.createVault();
  return {
    storage,
    ...createFixture(storage),
    other,
    beforeCommit(work: () => Promise<unknown>) {
      before = work;
    },
  };
}

describe("a storage on a key-value store that other processes change", () => {
  /** Creates an item. Counts how often it is decided. */
  const counted = (itemId: string) => {
    let decisions = 0;
    const rule = defineRule((_: ItemSnapshot) => {
      decisions += 1;
      return { outcome: decisions, writes: [changeOf(itemId, "a"), auditOf({ subject: itemId })] };
    });
    return rule();
  };

  it("commits a decision once if another process only used the sequence and the position", async () => {
    const { storage, other, beforeCommit } = await openTwo();
    beforeCommit(() => other.put(itemRef("item-1"), "b", 0));
    const result = await storage.transact({ kind: "item", ...itemRef("item-2") }, counted("item-2"));
    expect(result).toEqual({ outcome: 1, sequence: 2 });
    const { rows } = await storage.listAudit({ tenantId, limit: 9 });
    expect(rows.map(({ position, subject }) => [position, subject])).toEqual([
      [2, "item-2"],
      [1, "item:vault-1/item-1"],
    ]);
    const page = await storage.listChanges({ ...itemRef(""), afterSequence: 0, limit: 9 });
    expect(page.items.map(({ itemId, sequence }) => [itemId, sequence])).toEqual([
      ["item-1", 1],
      ["item-2", 2],
    ]);
  });

  it("decides again if another process has changed what was read, and only then", async () => {
    const { storage, put, other, beforeCommit } = await openTwo();
    await put(itemRef("item-1"), "a", 0);
    beforeCommit(() => other.put(itemRef("item-1"), "b", 1));
    const [changed, created] = await Promise.all([
      put(itemRef("item-1"), "c", 1),
      storage.transact({ kind: "item", ...itemRef("item-2") }, counted("item-2")),
    ]);
    expect(changed.outcome).toMatchObject({ ok: false, conflict: { currentVersion: 2 } });
    expect(created).toEqual({ outcome: 1, sequence: 3 });
  });

  it("decides again if another process has changed the members", async () => {
    const { put, remove, other, beforeCommit } = await openTwo();
    await put(itemRef("item-1"), "a", 0);
    const member = { kind: "member", tenantId, vaultId: "vault-1", principalId: "principal-1" } as const;
    beforeCommit(() => other.write({ ...member, role: undefined }));
    expect((await remove(itemRef("item-1"), 1)).outcome).toMatchObject({ ok: false, reason: "VAULT_NOT_FOUND" });
  });

  it("rejects a new record that another process has created", async () => {
    const { write, other, beforeCommit } = await openTwo();
    beforeCommit(() => other.write(revocationOf("token-1")));
    await expect(write(revocationOf("token-1"))).rejects.toMatchObject({ reason: "unavailable" });
  });

  it("fails as contended if other processes are always faster", async () => {
    const values = new Map<string, string>();
    const store = createMemoryStore(values);
    const { createVault, put } = createFixture(createKeyValueStorage(store));
    await createVault();
    const late = createFixture(createKeyValueStorage({ ...store, commit: async () => false }));
    await expect(late.put(itemRef("item-1"), "a", 0)).rejects.toMatchObject({ reason: "contended" });
    expect(await put(itemRef("item-1"), "a", 0)).toMatchObject({ sequence: 1 });
  });

  it("lists a page from one view, also if one of its items is changed while it is read", async () => {
    const values = new Map<string, string>();
    const store = createMemoryStore(values);
    const { createVault, put } = createFixture(createKeyValueStorage(store));
    await createVault();
    for (const id of ["item-1", "item-2", "item-3"]) await put(itemRef(id), "a", 0);
    let changes = 0;
    const reading = createKeyValueStorage({
      ...store,
      async list(range) {
        const listed = await store.list(range);
        changes += 1;
        if (changes < 3) await put(itemRef("item-1"), "b", changes);
        return listed;
      },
    });
    const page = await reading.listChanges({ ...itemRef(""), afterSequence: 0, limit: 2 });
    expect(page).toMatchObject({ head: 5, hasMore: true, items: [{ sequence: 2 }, { sequence: 3 }] });
  });
});

it("reads nothing of an item for a principal who is not a member", async () => {
  const store = createMemoryStore();
  const read = new Set<string>();
  const storage = createKeyValueStorage({
    ...store,
    get(keys) {
      for (const key of keys) read.add(key);
      return store.get(keys);
    },
  });
  const { createVault, put, remove } = createFixture(storage);
  await createVault();
  await put(itemRef("item-1"), "a", 0);
  read.clear();
  const rule = deleteItem(1, { ...actor, principalId: "principal-2" }, 0);
  const refused = await storage.transact({ kind: "item", ...itemRef("item-1"), principalId: "principal-2" }, rule);
  expect(refused.outcome).toMatchObject({ ok: false, reason: "VAULT_NOT_FOUND" });
  expect([...read].filter((key) => key.includes("item-1"))).toEqual([]);
  expect((await remove(itemRef("item-1"), 1)).outcome).toMatchObject({ ok: true });
});

it("no value of an item has more than 100,000 bytes, however often the largest content is replaced", async () => {
  const values = new Map<string, string>();
  const { createVault, put, earlier } = createFixture(createKeyValueStorage(createMemoryStore(values)));
  await createVault();
  // Each is in six members.
  for (const [version, mark] of [..."abcd"].entries()) await put(itemRef("item-1"), mark.repeat(10_000), version);
  expect(Math.max(...[...values.values()].map(({ length }) => length))).toBeLessThanOrEqual(100_000);
  expect(await earlier(itemRef("item-1"))).toMatchObject({ contents: [{ version: 3 }] });
});

describe("a key-value store that fails", () => {
  const broken = (error: Error): KeyValueStore => {
    const fail = async () => {
      throw error;
    };
    return { get: fail, list: fail, commit: fail, close: async () => {} };
  };
  const query = { tenantId, principalId: "principal-1", limit: 9 };

  it("makes calls fail as unavailable, with its error as the cause", async () => {
    const cause = new Error("ECONNREFUSED");
    const storage = createKeyValueStorage(broken(cause));
    const { find } = createFixture(storage);
    const unavailable = { name: "StorageError", reason: "unavailable", cause };
    await expect(find(itemRef("item-1"))).rejects.toMatchObject(unavailable);
    await expect(storage.listVaults(query)).rejects.toMatchObject(unavailable);
    await expect(storage.check()).rejects.toMatchObject(unavailable);
  });

  it("passes its own StorageError on", async () => {
    const storage = createKeyValueStorage(broken(new StorageError("full")));
    await expect(storage.check()).rejects.toMatchObject({ reason: "full" });
  });

  it("is damaged if a value is not what was written", async () => {
    const { find, createVault } = createFixture(createKeyValueStorage(createMemoryStore()));
    await createVault();
    expect(await find(itemRef("item-1"))).toBeUndefined();
    const values = new Map([["vault tenant-1 vault-1", "{"]]);
    const damaged = createFixture(createKeyValueStorage(createMemoryStore(values)));
    await expect(damaged.find(itemRef("item-1"))).rejects.toMatchObject({ reason: "damaged" });
  });

  it.each([
    ["is lost", (values: Map<string, string>, key: string) => values.delete(key)],
    ["is cut off", (values: Map<string, string>, key: string) => values.set(key, (values.get(key) ?? "").slice(0, 40))],
  ])("is damaged if the content of an item %s, and sends nothing of it", async (_, damage) => {
    const values = new Map<string, string>();
    const { createVault, put } = createFixture(createKeyValueStorage(createMemoryStore(values)));
    await createVault();
    await put(itemRef("item-1"), "a", 0);
    const [key = ""] = [...values].find(([, value]) => value.includes("encryptedPayload")) ?? [];
    damage(values, key);
    const storage = createKeyValueStorage(createMemoryStore(values));
    const listed = storage.listChanges({ ...itemRef(""), afterSequence: 0, limit: 2 });
    await expect(listed).rejects.toMatchObject({ reason: "damaged" });
  });
});
