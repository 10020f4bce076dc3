import { describe, expect, it, onTestFinished } from "vitest";
import { issueAccessToken } from "../domain/manage-access.js";
import type { NewRecord } from "../domain/model/record.js";
import { refOf } from "../ports/storage.js";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { fakeClock } from "../testing/fake-clock.js";
import type { Call } from "./call.js";
import { readAccess } from "./read-access.js";
import { createRecordOperations } from "./records.js";

const call: Call = {
  actor: { tenantId: "t-1", principalId: "p-1", oauthClientId: "", tokenId: "", operation: "any", requestId: "r-1" },
  wanted: () => true,
};

function platform() {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const records = createRecordOperations({ storage, clock });
  const session: NewRecord = {
    collection: "session",
    key: "hash-1",
    tenantId: "t-1",
    principalId: "p-1",
    oauthClientId: "",
    value: "{}",
    createdAt: clock.now(),
    expiresAt: clock.now() + 1000,
  };
  return {
    clock,
    session,
    get: records.getRecord,
    put: records.putRecord,
    putAll: records.putRecords,
    listVaults: storage.listVaults,
    list: records.listRecords,
    async issue(grantId: string): Promise<void> {
      const subject = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1" };
      const grant = { ...subject, grantId, accessTokenId: `access-${grantId}`, brokerTokenId: "", scopes: [] };
      const times = { issuedAt: 0, expiresAt: 900, keyId: "k-1", popKeyId: "" };
      await storage.transact(refOf(), issueAccessToken({ ...grant, ...times }, call.actor, 0));
    },
    async isRevoked(grantId: string): Promise<boolean> {
      const nobody = { tenantId: "t-1", principalId: "", oauthClientId: "", tokenId: "" };
      return (await readAccess(storage, { ...nobody, grantId })).revoked;
    },
  };
}

describe("records of the application", () => {
  it("are created, read, replaced, and absent once they expire", async () => {
    const { clock, session, get, put } = platform();
    const created = await put({ record: session, expectedRevision: 0 }, call);
    expect(created).toEqual({ ok: true, record: { ...session, revision: 1 } });
    expect(await get(session, call)).toEqual(created.record);
    expect(await put({ record: session, expectedRevision: 0 }, call)).toEqual({ ok: false, record: created.record });
    await put({ record: { ...session, value: "[]" }, expectedRevision: 1 }, call);
    expect(await get(session, call)).toMatchObject({ value: "[]", revision: 2 });
    clock.advance(1000);
    expect(await get(session, call)).toBeUndefined();
  });

  it("are removed by a write with an expiry in the past", async () => {
    const { clock, session, get, put, list } = platform();
    await put({ record: session, expectedRevision: 0 }, call);
    await put({ record: { ...session, expiresAt: clock.now() - 1 }, expectedRevision: 1 }, call);
    expect(await get(session, call)).toBeUndefined();
    const query = { collection: "session", tenantId: "t-1", principalId: "p-1", limit: 9 };
    expect(await list(query)).toMatchObject([{ key: "hash-1", revision: 2 }]);
  });

  it("revoke grants in the same commit, and none if the record was changed", async () => {
    const { session, put, issue, isRevoked } = platform();
    await issue("g-1");
    await issue("g-2");
    const alsoRevoked = ["g-1", "g-2"];
    await put({ record: session, expectedRevision: 1, alsoRevoked }, call);
    expect([await isRevoked("g-1"), await isRevoked("g-2")]).toEqual([false, false]);
    await put({ record: session, expectedRevision: 0, alsoRevoked }, call);
    expect([await isRevoked("g-1"), await isRevoked("g-2")]).toEqual([true, true]);
  });

  it("revoke grants and record events with several records, and nothing if one was changed", async () => {
    const { session, putAll, issue, isRevoked } = platform();
    await issue("g-1");
    const events = [{ subject: "session:p-1/hash-1", event: "ended" }];
    const end = (expectedRevision: number) =>
      putAll({ puts: [{ record: session, expectedRevision }], alsoRevoked: ["g-1", "unknown"], events }, call);
    expect(await end(1)).toEqual({ ok: false });
    expect(await isRevoked("g-1")).toBe(false);
    expect(await end(0)).toEqual({ ok: true });
    expect(await isRevoked("g-1")).toBe(true);
  });

  it("may have 64 KiB, counted in bytes of UTF-8", async () => {
    const { session, put } = platform();
    const value = (letters: number) => JSON.stringify("é".repeat(letters));
    await expect(
      put({ record: { ...session, value: value(32_767) }, expectedRevision: 0 }, call),
    ).resolves.toMatchObject({
      ok: true,
    });
    await expect(put({ record: { ...session, value: value(32_768) }, expectedRevision: 1 }, call)).rejects.toThrow(
      'The value of a record of the collection "session" has 65538 bytes. The largest value has 65536',
    );
  });

  it("must have a key", async () => {
    const { session, put } = platform();
    await expect(put({ record: { ...session, key: "" }, expectedRevision: 0 }, call)).rejects.toThrow(RangeError);
  });

  it("are written with a principal and a vault of 30 days, all of them or nothing", async () => {
    const { clock, session, get, putAll, listVaults } = platform();
    const person = { tenantId: "t-1", principalId: "p-1" };
    const put = (key: string) => ({ record: { ...session, key, expiresAt: undefined }, expectedRevision: 0 });
    const input = {
      puts: [put("account"), put("locator")],
      alsoPrincipal: { ...person, active: true },
      alsoVault: { tenantId: "t-1", vaultId: "p-1", ownerId: "p-1" },
    };
    expect(
      await putAll({ ...input, puts: [put("account"), { ...put("locator"), expectedRevision: 1 }] }, call),
    ).toEqual({
      ok: false,
    });
    expect(await get({ tenantId: "t-1", collection: "session", key: "account" }, call)).toBeUndefined();
    expect(await listVaults({ ...person, limit: 9 })).toEqual([]);
    clock.advance(1);
    expect(await putAll(input, call)).toEqual({ ok: true });
    expect(
      await get({ tenantId: "t-1", collection: "session", key: "account", activeOwner: true }, call),
    ).toMatchObject({
      revision: 1,
    });
    expect(await listVaults({ ...person, limit: 9 })).toMatchObject([
      { vaultId: "p-1", role: "owner", retentionDays: 30 },
    ]);
    const tooLarge = { record: { ...session, value: "x".repeat(65_537) }, expectedRevision: 0 };
    await expect(putAll({ puts: [tooLarge] }, call)).rejects.toThrow(RangeError);
  });
});
