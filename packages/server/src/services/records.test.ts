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
    session,
    put: records.putRecord,
    putAll: records.putRecords,
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
});
