import { describe, expect, it } from "vitest";
import { caseCaller as actor } from "../testing/cases/storage-driver.js";
import { principals } from "./model/access.js";
import { type NewRecord, recordsOf, type StoredRecord } from "./model/record.js";
import { decideGetRecord, decidePutRecord, decidePutRecords } from "./put-record.js";

const now = 1_700_000_000_000;
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
const snapshot = (...records: readonly (StoredRecord | undefined)[]) => ({ ...recordsOf(records), vault: undefined });
const expired: StoredRecord = { ...stored, expiresAt: now };

describe("GetRecord", () => {
  it.each([
    { name: "a record that never expires", record: { ...stored, expiresAt: undefined }, found: true },
    { name: "a record until it expires", record: { ...stored, expiresAt: now + 1 }, found: true },
    { name: "no record once it has expired", record: expired, found: false },
    { name: "no record if none is stored", record: undefined, found: false },
  ])("returns $name", ({ record, found }) => {
    expect(decideGetRecord(snapshot(record), wanted, now)).toEqual({ outcome: found ? record : undefined, writes: [] });
  });
});

describe("GetRecord of an active owner", () => {
  it.each([
    ["is active", true, stored],
    ["is not active", false, undefined],
  ])("returns the record only if its owner %s", (_, active, outcome) => {
    const owner = principals.create({ tenantId: "t-1", principalId: "p-1", active }, 0).record;
    expect(decideGetRecord(snapshot(stored, owner), wanted, now, true)).toEqual({ outcome, writes: [] });
  });

  it("an unknown owner is not active", () => {
    expect(decideGetRecord(snapshot(stored), wanted, now, true).outcome).toBeUndefined();
  });
});

describe("PutRecord: an event", () => {
  const event = { subject: "account:p-1", event: "passkey added" };
  const events = { events: [event] };

  it("is recorded in the audit trail in the same commit", () => {
    const { writes } = decidePutRecord(snapshot(stored), { record: wanted, expectedRevision: 3 }, actor, now, events);
    const record = { ...actor, subjectTenantId: "t-1", ...event, versionBefore: 0, versionAfter: 0, at: now };
    expect(writes).toEqual([expect.objectContaining({ kind: "record" }), { kind: "audit", record }]);
  });

  it("is not recorded if the record has another revision", () => {
    const put = { record: wanted, expectedRevision: 2 };
    expect(decidePutRecord(snapshot(stored), put, actor, now, events)).toMatchObject({ writes: [] });
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
    expect(decidePutRecord(snapshot(record), { record: wanted, expectedRevision: expected }, actor, now)).toEqual({
      outcome: { ok: true, record: written },
      writes: [{ kind: "record", record: written, links: [["principal", "p-1"]] }],
    });
  });

  it.each([
    { name: "the creation of a record that exists", record: stored, expected: 0, current: stored },
    { name: "an older revision", record: stored, expected: 2, current: stored },
    { name: "a newer revision", record: stored, expected: 4, current: stored },
    { name: "the revision of an expired record", record: expired, expected: 3, current: undefined },
    { name: "the revision of a record that does not exist", record: undefined, expected: 3, current: undefined },
  ])("rejects $name, and returns the current record", ({ record, expected, current }) => {
    expect(decidePutRecord(snapshot(record), { record: wanted, expectedRevision: expected }, actor, now)).toEqual({
      outcome: { ok: false, record: current },
      writes: [],
    });
  });

  it("ignores a revision that is part of the new record", () => {
    const put = { record: { ...stored, value: "{}" }, expectedRevision: 3 };
    const { outcome } = decidePutRecord(snapshot(stored), put, actor, now);
    expect(outcome.record).toEqual({ ...stored, value: "{}", revision: 4 });
  });
});

describe("PutRecords: several records, a principal and a vault in one decision", () => {
  const other: NewRecord = { ...wanted, collection: "locator", key: "hash-2" };
  const puts = [
    { record: wanted, expectedRevision: 3 },
    { record: other, expectedRevision: 0 },
  ];
  const principal = { tenantId: "t-1", principalId: "p-1", active: true };
  const place = { tenantId: "t-1", vaultId: "v-1" };
  const created = { principal, vault: { ...place, retentionDays: 30, ownerId: "p-1" } };
  const event = { subject: "account:p-1", event: "created" };
  const audited = (subject: string, happened: string) => ({
    kind: "audit",
    record: {
      ...actor,
      subjectTenantId: "t-1",
      subject,
      event: happened,
      versionBefore: 0,
      versionAfter: 0,
      at: now,
    },
  });

  it("writes all of it, each audited as if it had been written alone", () => {
    const loaded = snapshot(stored);
    expect(decidePutRecords(loaded, puts, { ...created, events: [event] }, actor, now)).toEqual({
      outcome: { ok: true },
      writes: [
        { kind: "record", record: { ...wanted, revision: 4 }, links: [["principal", "p-1"]] },
        { kind: "record", record: { ...other, revision: 1 }, links: [["principal", "p-1"]] },
        principals.create(principal, now),
        audited("principal:p-1", "activated"),
        { kind: "vault", vault: { ...place, retentionDays: 30, accessRevision: 0 } },
        audited("vault:v-1", "created"),
        { kind: "member", ...place, principalId: "p-1", role: "owner" },
        audited("member:v-1/p-1", "role owner"),
        audited("account:p-1", "created"),
      ],
    });
  });

  const vault = { ...place, retentionDays: 30, accessRevision: 0 };
  it.each([
    { name: "the first record has another revision", records: [undefined, undefined], vault: undefined },
    { name: "the second record exists", records: [stored, { ...stored, ...other, revision: 1 }], vault: undefined },
    { name: "the vault exists", records: [stored, undefined], vault },
  ])("writes nothing if $name", ({ records, vault }) => {
    const loaded = { ...snapshot(...records), vault };
    expect(decidePutRecords(loaded, puts, { ...created, events: [event] }, actor, now)).toEqual({
      outcome: { ok: false },
      writes: [],
    });
  });

  it("records several events, also without a record, for the tenant of the caller", () => {
    const events = [event, { ...event, event: "confirmed" }];
    expect(decidePutRecords(snapshot(), [], { events }, actor, now)).toEqual({
      outcome: { ok: true },
      writes: [audited("account:p-1", "created"), audited("account:p-1", "confirmed")],
    });
  });

  it("adds the links of a record to the one to its owner", () => {
    const put = { record: wanted, links: [["locator", "hash-2"]] as const };
    expect(decidePutRecords(snapshot(), [put], {}, actor, now).writes).toMatchObject([
      {
        links: [
          ["principal", "p-1"],
          ["locator", "hash-2"],
        ],
      },
    ]);
  });

  it("does not need the vault to be absent if it creates none", () => {
    const loaded = { ...snapshot(stored), vault };
    expect(decidePutRecords(loaded, puts, {}, actor, now).outcome).toEqual({ ok: true });
  });
});
