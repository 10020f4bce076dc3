import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { refOf, type Storage, StorageError } from "../../../src/ports/storage.js";
import { openPostgresCell, PostgresCellError } from "../../../src/storage/postgres/cell.js";
import { createPostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";
import { asApp, createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
import {
  auditOf,
  changeOf,
  createFixture,
  itemRef,
  principalId,
  revocationOf,
  tenantId,
} from "../../../src/testing/storage-suite/fixture.js";
import { commitWrites, findItem } from "../../../src/testing/storage-suite/rules.js";
import { contentKey, openStorage } from "./testing/open-storages.js";

const other = "tenant-2";
const cell = { ownTenants: ["own"] };

/** Sets the state of a tenant. */
async function setState(url: string, tenant: string, state: string): Promise<void> {
  const sql = `SELECT platform_set_tenant($1, coalesce((SELECT revision FROM tenants WHERE tenant_id = $1), 0), $2, '') AS set`;
  expect(await runSql(url, sql, [tenant, state])).toEqual([{ set: true }]);
}

/** Creates a cell that serves one tenant, which has a vault with an item. */
async function createCell() {
  const url = await createTestDatabase();
  await setState(url, tenantId, "serving");
  const storage = await openStorage({ url, cell });
  const fixture = createFixture(storage);
  await fixture.createVault();
  await fixture.put(itemRef("item-1"), "a", 0);
  return { url, storage, ...fixture };
}

/** Every call that reads data of a tenant. */
const reads: Readonly<Record<string, (storage: Storage) => Promise<unknown>>> = {
  "reads an item": (storage) => storage.transact({ kind: "item", ...itemRef("item-1") }, findItem()),
  "reads an item of a principal": (storage) =>
    storage.transact({ kind: "item", ...itemRef("item-1"), principalId }, findItem()),
  "reads a record": (storage) => storage.readRecords([{ tenantId, collection: "c", key: "k" }]),
  "lists changes": (storage) => storage.listChanges({ tenantId, vaultId: "vault-1", afterSequence: 0, limit: 9 }),
  "lists changes of a member": (storage) =>
    storage.listChanges({ tenantId, vaultId: "vault-1", principalId, afterSequence: 0, limit: 9 }),
  "lists vaults": (storage) => storage.listVaults({ tenantId, principalId, limit: 9 }),
  "lists records": (storage) => storage.listRecords({ collection: "c", tenantId, principalId, limit: 9 }),
  "lists the audit trail": (storage) => storage.listAudit({ tenantId, limit: 9 }),
};

/** Every write of a tenant, also those for which nothing is read before. */
const writes: Readonly<Record<string, (storage: Storage) => Promise<unknown>>> = {
  "changes an item": (storage) => createFixture(storage).put(itemRef("item-2"), "b", 0),
  "deletes an item": (storage) => createFixture(storage).remove(itemRef("item-1"), 1),
  "creates a vault": (storage) => createFixture(storage).createVault("vault-2"),
  "writes a record": (storage) =>
    createFixture(storage).write({
      kind: "record",
      record: {
        ...{ tenantId, collection: "c", key: "k", principalId, oauthClientId: "" },
        ...{ value: "{}", revision: 1, createdAt: 0, expiresAt: undefined },
      },
    }),
  "writes to the audit trail": (storage) => createFixture(storage).write(auditOf()),
};

describe("a cell", () => {
  /** Makes each call with a storage of its own, because a storage remembers for a while that it does not serve a tenant. */
  async function resultsOf(url: string, calls: typeof reads): Promise<Readonly<Record<string, unknown>>> {
    const results: Record<string, unknown> = {};
    for (const [name, call] of Object.entries(calls)) {
      const storage = await openStorage({ url, cell });
      results[name] = await call(storage).then(
        () => "served",
        (error: unknown) => (error instanceof StorageError ? error.reason : error),
      );
      await storage.close();
    }
    return results;
  }
  const allAre = (result: string, calls: typeof reads) =>
    Object.fromEntries(Object.keys(calls).map((name) => [name, result]));

  it("serves every call of an assigned tenant", async () => {
    const { url } = await createCell();
    const calls = { ...reads, ...writes };
    expect(await resultsOf(url, calls)).toEqual(allAre("served", calls));
  });

  it.each(["arriving", "moved"])("serves no call of a tenant that is %s", async (state) => {
    const { url, find, storage } = await createCell();
    const calls = { ...reads, ...writes };
    await setState(url, tenantId, state);
    expect(await resultsOf(url, calls)).toEqual(allAre("not_served", calls));
    await setState(url, tenantId, "serving");
    expect(await find(itemRef("item-1"))).toMatchObject({ state: "live", version: 1 });
    expect(await find(itemRef("item-2"))).toBeUndefined();
    expect(await storage.listVaults({ tenantId, principalId, limit: 9 })).toHaveLength(1);
    expect((await storage.listAudit({ tenantId, limit: 9 })).rows).toHaveLength(1);
  });

  it("serves the reads of a tenant whose writes are paused, and no write", async () => {
    const { url } = await createCell();
    await setState(url, tenantId, "paused");
    expect(await resultsOf(url, reads)).toEqual(allAre("served", reads));
    expect(await resultsOf(url, writes)).toEqual(allAre("paused", writes));
  });

  it("serves a tenant again soon after it was refused", async () => {
    const { url, find } = await createCell();
    await setState(url, tenantId, "moved");
    await expect(find(itemRef("item-1"))).rejects.toMatchObject({ reason: "not_served" });
    await setState(url, tenantId, "serving");
    await setTimeout(250);
    expect(await find(itemRef("item-1"))).toMatchObject({ state: "live" });
  });

  it("does not serve a tenant that is not assigned, nor create one", async () => {
    const { url, storage } = await createCell();
    const ref = { ...itemRef("item-1"), tenantId: other };
    const refused = { name: "StorageError", reason: "not_served" };
    await expect(storage.transact({ kind: "item", ...ref }, findItem())).rejects.toMatchObject(refused);
    const vault = { tenantId: other, vaultId: "vault-1", retentionDays: 30, accessRevision: 0 };
    await expect(createFixture(storage).write({ kind: "vault", vault })).rejects.toMatchObject(refused);
    expect(await runSql(url, "SELECT FROM vaults WHERE tenant_id = $1", [other])).toEqual([]);
  });

  it("commits nothing that was decided before the writes were paused", async () => {
    const { url, find, put } = await createCell();
    const mover = new pg.Client({ connectionString: url });
    await mover.connect();
    onTestFinished(() => mover.end());
    await mover.query("BEGIN");
    await mover.query("SELECT platform_set_tenant($1, 1, 'paused', '')", [tenantId]);
    const refused = expect(put(itemRef("item-2"), "b", 0)).rejects.toMatchObject({ reason: "paused" });
    const waiting = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    while ((await runSql(url, waiting)).length === 0) await setTimeout(10);
    await mover.query("COMMIT");
    await refused;
    expect(await find(itemRef("item-2"))).toBeUndefined();
  });

  it("serves the tenants that every cell has", async () => {
    const { storage } = await createCell();
    expect(await storage.readRecords([{ tenantId: "own", collection: "c", key: "k" }])).toEqual([undefined]);
    const revocation = revocationOf("token-1");
    expect(await storage.transact(refOf(), commitWrites([revocation]))).toMatchObject({ sequence: undefined });
  });

  it("commits the writes of the other tenants of a batch", async () => {
    const { url, storage } = await createCell();
    await setState(url, other, "serving");
    const vault = { tenantId: other, vaultId: "vault-1", retentionDays: 30, accessRevision: 0 };
    await storage.transact(refOf(), commitWrites([{ kind: "vault", vault }]));
    await setState(url, tenantId, "paused");
    const change = changeOf("item-2", "b");
    const written = await Promise.allSettled(
      [tenantId, other].map((id) =>
        storage.transact(refOf(), commitWrites([{ ...change, item: { ...change.item, tenantId: id } }])),
      ),
    );
    expect(written).toMatchObject([{ status: "rejected", reason: { reason: "paused" } }, { status: "fulfilled" }]);
  });

  const batched: Readonly<Record<string, (storage: Storage, tenantId: string) => Promise<unknown>>> = {
    "decides the calls": (storage, id) =>
      storage.transact({ kind: "item", ...itemRef("item-1"), tenantId: id }, findItem()),
    "reads the records": (storage, id) => storage.readRecords([{ tenantId: id, collection: "c", key: "k" }]),
    "lists the changes": (storage, id) =>
      storage.listChanges({ tenantId: id, vaultId: "vault-1", principalId, afterSequence: 0, limit: 9 }),
  };

  it.each(Object.entries(batched))("%s of the other tenants of a batch", async (_, read) => {
    const { url, storage } = await createCell();
    await setState(url, tenantId, "moved");
    await setState(url, other, "serving");
    const found = await Promise.allSettled([tenantId, other].map((id) => read(storage, id)));
    expect(found).toMatchObject([{ status: "rejected", reason: { reason: "not_served" } }, { status: "fulfilled" }]);
  });

  it("shreds nothing of a tenant that it does not serve", async () => {
    const { url, storage, remove } = await createCell();
    await remove(itemRef("item-1"), 1);
    const due = Number.MAX_SAFE_INTEGER;
    expect(await storage.listShreddable(due, 9)).toHaveLength(1);
    await setState(url, tenantId, "moved");
    expect(await storage.listShreddable(due, 9)).toEqual([]);
    expect(await storage.readBacklog()).toMatchObject({ shreddableFrom: undefined });
  });

  it("is refused by a storage that would serve all tenants", async () => {
    const { url } = await createCell();
    await expect(createPostgresStorage({ url, contentKey })).rejects.toThrow(PostgresCellError);
  });
});

describe("the assignments of a cell", () => {
  it("are made once, and listed with what is stored", async () => {
    const { url, put } = await createCell();
    await put(itemRef("item-2"), "b", 0);
    await runSql(url, "INSERT INTO vaults VALUES ('tenant-0', 'vault-1', 30, 0, 0, 0)");
    const assignments = await openPostgresCell({ url });
    onTestFinished(() => assignments.close());
    expect(await assignments.assign(other)).toBe(true);
    expect(await assignments.assign(other)).toBe(false);
    expect(await assignments.list()).toMatchObject([
      { tenantId: "tenant-0", state: "unassigned", changedAt: undefined, vaults: 1, items: 0 },
      { tenantId, state: "serving", peer: undefined, changedAt: expect.any(Number), vaults: 1, items: 2, records: 0 },
      { tenantId: other, state: "serving", vaults: 0, items: 0 },
    ]);
  });

  it("cannot be changed by the app", async () => {
    const { url } = await createCell();
    const refused = { code: "42501" };
    await expect(runSql(asApp(url), "SELECT platform_set_tenant('t', 0, 'serving', '')")).rejects.toMatchObject(
      refused,
    );
    await expect(runSql(asApp(url), "UPDATE tenants SET state = 'serving'")).rejects.toMatchObject(refused);
  });
});
