import { describe, expect, it } from "vitest";
import { principals } from "../../domain/model/access.js";
import type { NewRecord, RecordPut, StoredRecord } from "../../domain/model/record.js";
import { type CreatedWithRecords, getRecord, putRecord, putRecords } from "../../domain/put-record.js";
import { refOf, type Storage } from "../../ports/storage.js";
import { readAccess } from "../../services/read-access.js";
import { actor, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";

const collection = "session";

/** Returns a record that never expires, of the suite's principal. */
export function recordOf(key: string, change: Partial<NewRecord> = {}): NewRecord {
  return {
    collection,
    key,
    tenantId,
    principalId,
    oauthClientId: "",
    value: "{}",
    createdAt: 1,
    expiresAt: undefined,
    ...change,
  };
}

/** Writes a record if the current one has the expected revision. */
export async function put(storage: Storage, record: NewRecord, expectedRevision = 0, now = 0) {
  return (await storage.transact(refOf(record), putRecord({ record, expectedRevision }, actor, now))).outcome;
}

/** Writes records and what is created with them: all of it or nothing. */
async function putTogether(storage: Storage, puts: readonly RecordPut[], created: CreatedWithRecords = {}) {
  const ref = { ...refOf(...puts.map(({ record }) => record)), vault: created.vault };
  return (await storage.transact(ref, putRecords(puts, created, actor, 0))).outcome;
}

/** Reads a record that has not expired. */
export async function get(storage: Storage, key: string, now = 0, of = collection): Promise<StoredRecord | undefined> {
  const found = { tenantId, collection: of, key };
  return (await storage.transact(refOf(found), getRecord(found, now))).outcome;
}

const twenty = Array.from({ length: 20 }, (_, index) => index);

export function describeRecords({ open }: Harness): void {
  describe("records", () => {
    it.each([
      { name: "that never expires", expiresAt: undefined, value: '{"a":"\\u0000","b":"é𐍈\\"\\\\"}' },
      {
        name: "that expires, with a value of 64 KiB",
        expiresAt: 9_007_199_254_740_991,
        value: `"${"x".repeat(65_534)}"`,
      },
    ])("are read exactly as they were written: one $name", async ({ expiresAt, value }) => {
      const { storage } = await open();
      const record = recordOf("key-1", { oauthClientId, expiresAt, value, createdAt: 1_700_000_000_000 });
      expect(await put(storage, record)).toEqual({ ok: true, record: { ...record, revision: 1 } });
      expect(await get(storage, "key-1")).toEqual({ ...record, revision: 1 });
    });

    it("are found by their tenant, collection and key", async () => {
      const { storage } = await open();
      await put(storage, recordOf("key-1"));
      await put(storage, recordOf("key-1", { collection: "account", value: "[]" }));
      await put(storage, recordOf("key-1", { tenantId: "tenant-2", value: "[]" }));
      expect(await get(storage, "key-1")).toMatchObject({ collection, value: "{}", revision: 1 });
      expect(await get(storage, "key-2")).toBeUndefined();
    });

    it("may change everything but their key, if the revision is the expected one", async () => {
      const { storage } = await open();
      await put(storage, recordOf("key-1", { expiresAt: 10 }));
      const changed = recordOf("key-1", {
        principalId: "principal-2",
        oauthClientId: "agent-2",
        value: "[1]",
        createdAt: 2,
        expiresAt: undefined,
      });
      expect(await put(storage, changed, 2)).toMatchObject({ ok: false, record: { revision: 1 } });
      expect(await put(storage, changed, 1)).toEqual({ ok: true, record: { ...changed, revision: 2 } });
      expect(await get(storage, "key-1")).toEqual({ ...changed, revision: 2 });
    });

    it("are created once by 20 concurrent calls, and replaced once", async () => {
      const { storage } = await open();
      for (const expected of [0, 1, 2]) {
        const results = await Promise.all(
          twenty.map((index) => put(storage, recordOf("key-1", { value: `${index}` }), expected)),
        );
        expect(results.filter(({ ok }) => ok)).toHaveLength(1);
        const written = results.find(({ ok }) => ok)?.record;
        for (const { record } of results) expect(record).toEqual(written);
        expect(await get(storage, "key-1")).toEqual(written);
      }
    });

    it("later calls of a batch see what earlier ones have written", async () => {
      const { storage } = await open();
      const results = await Promise.all([
        ...twenty.map((revision) => put(storage, recordOf("key-1", { value: `${revision}` }), revision)),
        get(storage, "key-1"),
      ]);
      for (const result of results.slice(0, 20)) expect(result).toMatchObject({ ok: true });
      expect(results.at(-1)).toMatchObject({ value: "19", revision: 20 });
    });

    it("are written together with a principal, a vault and its owner in one step, or not at all", async () => {
      const { storage } = await open();
      const vault = { tenantId, vaultId: principalId };
      const sign = (keys: readonly string[]) =>
        putTogether(
          storage,
          keys.map((key) => ({ record: recordOf(key), expectedRevision: 0 })),
          {
            principal: { tenantId, principalId, active: true },
            vault: { ...vault, retentionDays: 30, ownerId: principalId },
          },
        );
      const access = { tenantId, principalId, oauthClientId, tokenId: "t", grantId: "" };
      const vaults = () => storage.listVaults({ tenantId, principalId, limit: 9 });
      await put(storage, recordOf("taken"));
      expect(await sign(["account", "taken"])).toEqual({ ok: false });
      expect(await get(storage, "account")).toBeUndefined();
      expect((await readAccess(storage, access)).principalActive).toBe(false);
      expect(await vaults()).toEqual([]);
      expect(await sign(["account", "locator"])).toEqual({ ok: true });
      expect(await get(storage, "account")).toMatchObject({ revision: 1 });
      expect(await get(storage, "locator")).toMatchObject({ revision: 1 });
      expect((await readAccess(storage, access)).principalActive).toBe(true);
      expect(await vaults()).toEqual([{ vaultId: principalId, role: "owner", retentionDays: 30, head: 0 }]);
      // The vault exists now.
      expect(await sign(["account-2", "locator-2"])).toEqual({ ok: false });
      expect(await get(storage, "account-2")).toBeUndefined();
    });

    it("are read together, in the order of their keys", async () => {
      const { storage } = await open();
      await Promise.all(["b", "a"].map((key) => put(storage, recordOf(key, { value: `"${key}"` }))));
      const read = await storage.readRecords(["a", "none", "b", "a"].map((key) => recordOf(key)));
      expect(read.map((record) => record?.value)).toEqual(['"a"', undefined, '"b"', '"a"']);
      expect(await storage.readRecords([])).toEqual([]);
    });

    it.each([
      { stored: 0, written: 2 },
      { stored: 1, written: 1 },
      { stored: 2, written: 4 },
    ])("rejects a write with the revision $written after the revision $stored", async ({ stored, written }) => {
      const { storage, write } = await open();
      for (let revision = 0; revision < stored; revision += 1) await put(storage, recordOf("key-1"), revision);
      const record = { ...recordOf("key-1", { value: "1" }), revision: written };
      const active = principals.create({ tenantId, principalId, active: true }, 0);
      await expect(write(active, { kind: "record", record })).rejects.toMatchObject({
        name: "StorageError",
      });
      expect((await get(storage, "key-1"))?.revision ?? 0).toBe(stored);
      const access = { tenantId, principalId, oauthClientId, tokenId: "t", grantId: "" };
      expect((await readAccess(storage, access)).principalActive).toBe(false);
    });
  });

  describe("listRecords: the records of a principal in the order of their keys", () => {
    it("lists only those of the collection, the tenant and the principal, also expired ones", async () => {
      const { storage } = await open();
      const listed = recordOf("key-1", { expiresAt: 1 });
      await put(storage, listed);
      await put(storage, recordOf("key-2", { collection: "account" }));
      await put(storage, recordOf("key-3", { tenantId: "tenant-2" }));
      await put(storage, recordOf("key-4", { principalId: "principal-2" }));
      const query = { collection, tenantId, principalId, limit: 9 };
      expect(await storage.listRecords(query)).toEqual([{ ...listed, revision: 1 }]);
      expect(await storage.listRecords({ ...query, collection: "none" })).toEqual([]);
    });

    it("pages by key, compared by its bytes", async () => {
      const { storage } = await open();
      const keys = ["-", "A", "B", "_", "a", "b", "é"];
      await Promise.all(keys.toReversed().map((key) => put(storage, recordOf(key))));
      const page = async (afterKey: string | undefined, limit: number) =>
        (await storage.listRecords({ collection, tenantId, principalId, afterKey, limit })).map(({ key }) => key);
      expect(await page(undefined, 100)).toEqual(keys);
      expect(await page(undefined, 2)).toEqual(["-", "A"]);
      expect(await page("A", 3)).toEqual(["B", "_", "a"]);
      expect(await page("a", 100)).toEqual(["b", "é"]);
      expect(await page("é", 100)).toEqual([]);
    });
  });
}
