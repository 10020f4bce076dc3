import { describe, expect, it } from "vitest";
import { decideGetRecord, decidePutRecord, type NewRecord, type RecordSnapshot, type StoredRecord } from "./record.js";

const now = 1_700_000_000_000;
const actor = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "console",
  tokenId: "jti-1",
  operation: "signUp",
  requestId: "r-1",
};
const wanted: NewRecord = {
  collection: "session",
  key: "hash-1",
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "",
  value: "{}",
  createdAt: now,
  expiresAt: now + 1000,
};
const stored: StoredRecord = { ...wanted, value: '{"old":1}', revision: 3 };
const snapshot = (record: StoredRecord | undefined): RecordSnapshot => ({
  record,
  principalActive: true,
  oauthClient: undefined,
});
const expired: StoredRecord = { ...stored, expiresAt: now };

describe("GetRecord", () => {
  it.each([
    { name: "a record that never expires", record: { ...stored, expiresAt: undefined }, found: true },
    { name: "a record until it expires", record: { ...stored, expiresAt: now + 1 }, found: true },
    { name: "no record once it has expired", record: expired, found: false },
    { name: "no record if there is none", record: undefined, found: false },
  ])("returns $name", ({ record, found }) => {
    expect(decideGetRecord(snapshot(record), now)).toEqual({ outcome: found ? record : undefined, writes: [] });
  });
});

describe("GetRecord of an active owner", () => {
  it.each([true, false])("returns the record only if its owner is active: %s", (principalActive) => {
    const outcome = principalActive ? stored : undefined;
    expect(decideGetRecord({ ...snapshot(stored), principalActive }, now, true)).toEqual({ outcome, writes: [] });
  });
});

describe("PutRecord: an event", () => {
  const event = { subject: "account:p-1", event: "passkey added" };

  it("is recorded in the audit trail in the same commit", () => {
    const { writes } = decidePutRecord(snapshot(stored), wanted, 3, undefined, actor, now, event);
    const record = { ...actor, subjectTenantId: "t-1", ...event, versionBefore: 0, versionAfter: 0, at: now };
    expect(writes).toEqual([expect.objectContaining({ kind: "record" }), { kind: "audit", record }]);
  });

  it("is not recorded if the record has another revision", () => {
    expect(decidePutRecord(snapshot(stored), wanted, 2, undefined, actor, now, event)).toMatchObject({ writes: [] });
  });
});

describe("PutRecord: optimistic concurrency", () => {
  it.each([
    { name: "creates a record", record: undefined, expected: 0, revision: 1 },
    { name: "replaces a record", record: stored, expected: 3, revision: 4 },
    {
      name: "creates a record in place of an expired one, and continues its revisions",
      record: expired,
      expected: 0,
      revision: 4,
    },
  ])("$name", ({ record, expected, revision }) => {
    const written = { ...wanted, revision };
    expect(decidePutRecord(snapshot(record), wanted, expected, undefined, actor, now)).toEqual({
      outcome: { ok: true, record: written },
      writes: [{ kind: "record", record: written }],
    });
  });

  it.each([
    { name: "the creation of a record that exists", record: stored, expected: 0, current: stored },
    { name: "an older revision", record: stored, expected: 2, current: stored },
    { name: "a newer revision", record: stored, expected: 4, current: stored },
    { name: "the revision of an expired record", record: expired, expected: 3, current: undefined },
    { name: "the revision of a record that does not exist", record: undefined, expected: 3, current: undefined },
  ])("rejects $name, and returns the current record", ({ record, expected, current }) => {
    const principal = { tenantId: "t-1", principalId: "p-1", active: true };
    expect(decidePutRecord(snapshot(record), wanted, expected, principal, actor, now)).toEqual({
      outcome: { ok: false, record: current },
      writes: [],
    });
  });

  it("ignores a revision that is part of the new record", () => {
    const { outcome } = decidePutRecord(snapshot(stored), { ...stored, value: "{}" }, 3, undefined, actor, now);
    expect(outcome.record).toEqual({ ...stored, value: "{}", revision: 4 });
  });

  it("writes a principal with its audit record in the same decision", () => {
    const principal = { tenantId: "t-1", principalId: "p-1", active: true };
    expect(decidePutRecord(snapshot(undefined), wanted, 0, principal, actor, now).writes).toEqual([
      { kind: "record", record: { ...wanted, revision: 1 } },
      { kind: "principal", principal },
      {
        kind: "audit",
        record: {
          ...actor,
          subjectTenantId: "t-1",
          subject: "principal:p-1",
          event: "activated",
          versionBefore: 0,
          versionAfter: 0,
          at: now,
        },
      },
    ]);
  });
});
