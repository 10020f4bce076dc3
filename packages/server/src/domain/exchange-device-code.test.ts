import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import type { DeviceAuthorization, DeviceCodeSnapshot } from "./device-authorization.js";
import { decideExchange, type ExchangeInput } from "./exchange-device-code.js";
import type { Grant } from "./grant.js";
import { newFamily, recordOfFamily } from "./refresh-family.js";

const now = 1_700_000_000_500;
const actor = {
  tenantId: "t-1",
  principalId: "agent-1",
  oauthClientId: "c-1",
  tokenId: "jti-1",
  operation: "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  requestId: "r-1",
};
const oauthClient = {
  tenantId: "t-1",
  oauthClientId: "c-1",
  name: "Agent",
  allowedOperations: ["x"],
  ...withoutCodeGrant,
  enabled: true,
};
const drawn: ExchangeInput = {
  idempotencyKeyHash: "key-1",
  grantId: "g-1",
  accessTokenId: "jti-a",
  brokerTokenId: "jti-b",
  keyId: "k-1",
  requiredScopes: new Map([["x", ["a", "b", "d"]]]),
};
const grant: Grant = {
  grantId: "g-1",
  tenantId: "t-1",
  principalId: "user-1",
  oauthClientId: "c-1",
  scopes: ["a", "b"],
  keyId: "k-1",
  issuedAt: 1_700_000_000,
  expiresAt: 1_700_000_900,
  accessTokenId: "jti-a",
  brokerTokenId: "jti-b",
  popKeyId: "thumbprint",
};

const pending: DeviceAuthorization = {
  deviceCodeHash: "device-hash",
  userCodeHash: "user-hash",
  tenantId: "t-1",
  oauthClientId: "c-1",
  requestedScopes: ["a", "b", "c"],
  popKeyId: "thumbprint",
  state: "pending",
  revision: 4,
  createdAt: now - 100_000,
  expiresAt: now + 500_000,
  intervalSeconds: 5,
  lastPollAt: undefined,
  approverId: undefined,
  approvedScopes: [],
  consumption: undefined,
};
const approved: DeviceAuthorization = {
  ...pending,
  state: "approved",
  approverId: "user-1",
  approvedScopes: ["a", "b", "c"],
};
const consumption = { grantId: "g-1", principalId: "agent-1", idempotencyKeyHash: "key-1", at: now };
const consumed: DeviceAuthorization = { ...approved, state: "consumed", revision: 5, consumption };

const snapshot = (
  authorization: DeviceAuthorization | undefined,
  change: Partial<DeviceCodeSnapshot> = {},
): DeviceCodeSnapshot => ({
  authorization,
  oauthClient,
  approverActive: true,
  grant: authorization?.state === "consumed" ? grant : undefined,
  grantRevoked: false,
  refreshFamily: undefined,
  ...change,
});
const decide = (given: DeviceCodeSnapshot, input = drawn, at = now) => decideExchange(given, input, actor, at);

const invalid = { ok: false, reason: "DEVICE_CODE_INVALID" };
const denied = { ok: true, status: "access_denied", because: "denied" };
const burned = { ok: true, status: "access_denied", because: "burned" };
const expired = { ok: true, status: "expired_token" };

describe("DECISIONS section 4: checks in the order owner, consumed, denied or burned, expired, approved, pending", () => {
  const past = { expiresAt: now };
  it.each([
    { name: "unknown", authorization: undefined, outcome: invalid },
    { name: "of another tenant", authorization: { ...pending, tenantId: "t-2" }, outcome: invalid },
    { name: "of another OAuth client", authorization: { ...pending, oauthClientId: "c-2" }, outcome: invalid },
    { name: "foreign and approved", authorization: { ...approved, tenantId: "t-2" }, outcome: invalid },
    { name: "foreign and expired", authorization: { ...pending, ...past, tenantId: "t-2" }, outcome: invalid },
    {
      name: "consumed and expired, without a key",
      authorization: { ...consumed, ...past },
      outcome: { ok: false, reason: "DEVICE_CODE_CONSUMED" },
    },
    { name: "denied", authorization: { ...pending, state: "denied" as const }, outcome: denied },
    { name: "denied and expired", authorization: { ...pending, ...past, state: "denied" as const }, outcome: denied },
    { name: "burned", authorization: { ...approved, state: "burned" as const }, outcome: burned },
    { name: "burned and expired", authorization: { ...approved, ...past, state: "burned" as const }, outcome: burned },
    { name: "pending and expired", authorization: { ...pending, ...past }, outcome: expired },
    { name: "approved and expired", authorization: { ...approved, ...past }, outcome: expired },
  ])("an exchange of a code that is $name writes nothing", ({ authorization, outcome }) => {
    const input = { ...drawn, idempotencyKeyHash: undefined };
    expect(decide(snapshot(authorization), input)).toEqual({ outcome, writes: [] });
  });

  it("rejects an unknown code and another tenant's code with the same error", () => {
    expect(decide(snapshot({ ...pending, tenantId: "t-2" }))).toEqual(decide(snapshot(undefined)));
  });

  it("revokes the grant and audits it when another OAuth client sends a consumed code", () => {
    const { outcome, writes } = decide(snapshot({ ...consumed, oauthClientId: "c-2" }));
    expect(outcome).toEqual(invalid);
    expect(writes).toMatchObject([
      { kind: "revocation", subjectId: "g-1", at: now },
      { kind: "audit", record: { ...actor, subjectTenantId: "t-1", subject: "grant:g-1" } },
    ]);
  });

  it.each([false, true])("revokes its refresh family, too, with grantRevoked: %s", (grantRevoked) => {
    const refreshFamily = { ...recordOfFamily(newFamily(grant, now)), revision: 1 };
    const given = snapshot({ ...consumed, oauthClientId: "c-2" }, { grantRevoked, refreshFamily });
    expect(decide(given).writes.slice(grantRevoked ? 0 : 2)).toMatchObject([
      { kind: "record", record: { key: "g-1", revision: 2, expiresAt: 0 } },
      { kind: "revocation", subjectId: "g-1", at: now },
      {
        kind: "audit",
        record: { ...actor, subject: "refresh-family:g-1", event: "revoked: code reused by a foreign caller" },
      },
    ]);
  });

  it("writes nothing for a second foreign attempt", () => {
    const given = snapshot({ ...consumed, oauthClientId: "c-2" }, { grantRevoked: true });
    expect(decide(given)).toEqual({ outcome: invalid, writes: [] });
  });
});

describe("DECISIONS section 4: redemption", () => {
  it("consumes the code and stores the grant of the tokens in one step", () => {
    const { outcome, writes } = decide(snapshot(approved));
    expect(outcome).toEqual({ ok: true, status: "approved", grant });
    expect(writes).toMatchObject([
      { kind: "deviceAuthorization", authorization: consumed },
      { kind: "grant", grant },
      { kind: "audit", record: { event: "granted", subject: "grant:g-1", versionBefore: 4, versionAfter: 5 } },
    ]);
    expect(writes).toHaveLength(3);
  });

  it.each([
    { requested: ["c", "b", "a"], approvedScopes: ["b", "a"], open: ["a", "b"], scopes: ["a", "b"] },
    { requested: ["a"], approvedScopes: ["a", "b"], open: ["a", "b"], scopes: ["a"] },
    { requested: ["a", "b"], approvedScopes: ["a"], open: ["a", "b"], scopes: ["a"] },
    { requested: ["a", "b"], approvedScopes: ["a", "b"], open: ["b"], scopes: ["b"] },
    { requested: ["a", "b"], approvedScopes: ["a", "a"], open: ["a", "a"], scopes: ["a"] },
  ])(
    "grants requested $requested ∩ approved $approvedScopes ∩ allowed for the OAuth client $open: $scopes",
    ({ requested, approvedScopes, open, scopes }) => {
      const given = snapshot({ ...approved, requestedScopes: requested, approvedScopes });
      const { outcome } = decide(given, { ...drawn, requiredScopes: new Map([["x", open]]) });
      expect(outcome).toMatchObject({ status: "approved", grant: { scopes } });
    },
  );

  it("returns PRINCIPAL_DISABLED and burns the code when the approver is inactive", () => {
    const { outcome, writes } = decide(snapshot(approved, { approverActive: false }));
    expect(outcome).toEqual({ ok: false, reason: "PRINCIPAL_DISABLED" });
    expect(writes).toMatchObject([
      { kind: "deviceAuthorization", authorization: { ...approved, state: "burned", revision: 5 } },
      { kind: "audit", record: { event: "burned: approver not active" } },
    ]);
  });

  it.each([
    { name: "the allowlist allows none of them", given: approved, client: oauthClient, open: ["d"] },
    { name: "none was approved", given: { ...approved, approvedScopes: [] }, client: oauthClient, open: ["a"] },
    { name: "none was requested", given: { ...approved, requestedScopes: ["c"] }, client: oauthClient, open: ["a"] },
    { name: "the OAuth client is disabled", given: approved, client: { ...oauthClient, enabled: false }, open: ["a"] },
    { name: "the OAuth client was removed", given: approved, client: undefined, open: ["a"] },
  ])("returns access_denied and burns the code when $name", ({ given, client, open }) => {
    const { outcome, writes } = decide(snapshot(given, { oauthClient: client }), {
      ...drawn,
      requiredScopes: new Map([["x", open]]),
    });
    expect(outcome).toEqual({ ok: true, status: "access_denied", because: "no_scopes" });
    expect(writes).toMatchObject([
      { kind: "deviceAuthorization", authorization: { ...given, state: "burned", revision: 5 } },
      { kind: "audit", record: { event: "burned: no approved scope can be granted", versionAfter: 5 } },
    ]);
    expect(writes).toHaveLength(2);
  });

  it("checks the approver before the scopes", () => {
    const given = snapshot(approved, { approverActive: false, oauthClient: undefined });
    expect(decide(given).outcome).toEqual({ ok: false, reason: "PRINCIPAL_DISABLED" });
  });

  it("never throttles an approved code", () => {
    const given = snapshot({ ...approved, lastPollAt: now - 1, intervalSeconds: 60 });
    expect(decide(given).outcome).toMatchObject({ status: "approved" });
  });
});

describe("DECISIONS section 4: a replay requires the same principal and the same key, within 60 s", () => {
  const other = { ...consumption, principalId: "agent-2" };
  it.each([
    { name: "at once", ms: 0, key: "key-1", by: consumption, revoked: false, same: true },
    { name: "just within 60 s", ms: 59_999, key: "key-1", by: consumption, revoked: false, same: true },
    { name: "after 60 s", ms: 60_000, key: "key-1", by: consumption, revoked: false, same: false },
    { name: "with another key", ms: 0, key: "key-2", by: consumption, revoked: false, same: false },
    { name: "without a key", ms: 0, key: undefined, by: consumption, revoked: false, same: false },
    { name: "by another principal", ms: 0, key: "key-1", by: other, revoked: false, same: false },
    { name: "of a revoked grant", ms: 0, key: "key-1", by: consumption, revoked: true, same: false },
    {
      name: "with a key, of a consumption without",
      ms: 0,
      key: "key-1",
      by: { ...consumption, idempotencyKeyHash: undefined },
      revoked: false,
      same: false,
    },
    {
      name: "without a key, of a consumption without",
      ms: 0,
      key: undefined,
      by: { ...consumption, idempotencyKeyHash: undefined },
      revoked: false,
      same: false,
    },
  ])("a replay $name returns the same tokens: $same, and writes nothing", ({ ms, key, by, revoked, same }) => {
    const given = snapshot({ ...consumed, consumption: by }, { grantRevoked: revoked });
    expect(decide(given, { ...drawn, idempotencyKeyHash: key, grantId: "g-2" }, now + ms)).toEqual({
      outcome: same ? { ok: true, status: "approved", grant } : { ok: false, reason: "DEVICE_CODE_CONSUMED" },
      writes: [],
    });
  });
});

describe("DECISIONS section 4: a replay makes the same checks as a redemption", () => {
  const opens = (...scopes: string[]) => ({ ...drawn, requiredScopes: new Map([["x", scopes]]) });
  it.each([
    { name: "nothing has changed", change: {}, input: drawn, same: true },
    { name: "the allowlist has grown", change: {}, input: opens("a", "b", "c", "d"), same: true },
    { name: "the grant is revoked", change: { grantRevoked: true }, input: drawn, same: false },
    { name: "the approver is inactive", change: { approverActive: false }, input: drawn, same: false },
    {
      name: "the OAuth client is disabled",
      change: { oauthClient: { ...oauthClient, enabled: false } },
      input: drawn,
      same: false,
    },
    { name: "the OAuth client was removed", change: { oauthClient: undefined }, input: drawn, same: false },
    { name: "the allowlist is narrowed", change: {}, input: opens("a"), same: false },
    { name: "the allowlist is empty", change: {}, input: opens(), same: false },
  ])("when $name, a replay returns the same tokens: $same, and writes nothing", ({ change, input, same }) => {
    expect(decide(snapshot(consumed, change), input, now + 1)).toEqual({
      outcome: same ? { ok: true, status: "approved", grant } : { ok: false, reason: "DEVICE_CODE_CONSUMED" },
      writes: [],
    });
  });
});

describe("DECISIONS section 4, RFC 8628 section 3.5: polling", () => {
  const poll = (intervalSeconds: number, since: number | undefined) =>
    decide(snapshot({ ...pending, intervalSeconds, lastPollAt: since === undefined ? undefined : now - since }));

  it("accepts the first poll at once", () => {
    expect(poll(5, undefined)).toEqual({
      outcome: { ok: true, status: "authorization_pending", expiresInSeconds: 500, intervalSeconds: 5 },
      writes: [{ kind: "deviceAuthorization", authorization: { ...pending, lastPollAt: now, revision: 5 } }],
    });
  });

  it.each([
    { interval: 5, since: 4_500, early: false },
    { interval: 5, since: 4_499, early: true },
    { interval: 10, since: 9_000, early: false },
    { interval: 10, since: 8_999, early: true },
    { interval: 60, since: 54_000, early: false },
    { interval: 60, since: 53_999, early: true },
    // 10 % of 2 s would be 200 ms: the tolerance is at least 250 ms.
    { interval: 2, since: 1_750, early: false },
    { interval: 2, since: 1_749, early: true },
  ])("$since ms after the last accepted poll at $interval s: too early $early", ({ interval, since, early }) => {
    expect(poll(interval, since).outcome).toMatchObject({ status: early ? "slow_down" : "authorization_pending" });
  });

  it.each([
    { interval: 5, next: 10 },
    { interval: 55, next: 60 },
    { interval: 58, next: 60 },
    { interval: 60, next: 60 },
  ])(
    "slow_down raises $interval s to $next s, stores it, and keeps the time of the last accepted poll",
    ({ interval, next }) => {
      expect(poll(interval, 1)).toMatchObject({
        outcome: { status: "slow_down", intervalSeconds: next },
        writes: [{ authorization: { intervalSeconds: next, lastPollAt: now - 1, revision: 5 } }],
      });
    },
  );

  it.each([
    { left: 1, seconds: 1 },
    { left: 1_000, seconds: 1 },
    { left: 1_001, seconds: 2 },
    { left: 600_000, seconds: 600 },
  ])("expiresInSeconds is $seconds when the code expires in $left ms", ({ left, seconds }) => {
    const { outcome } = decide(snapshot({ ...pending, expiresAt: now + left }));
    expect(outcome).toMatchObject({ status: "authorization_pending", expiresInSeconds: seconds });
  });

  it("does not audit pending polls", () => {
    const kinds = [poll(5, undefined), poll(5, 1)].flatMap(({ writes }) => writes.map(({ kind }) => kind));
    expect(new Set(kinds)).toEqual(new Set(["deviceAuthorization"]));
  });
});
