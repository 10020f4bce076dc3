import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import type { DeviceAuthorization, DeviceCodeSnapshot } from "./device-authorization.js";
import { decideExchange } from "./exchange-device-code.js";
import type { Grant } from "./grant.js";

const now = 1_700_000_000_000;
const hour = 60 * 60 * 1000;
const oauthClient = {
  tenantId: "t-1",
  oauthClientId: "c-1",
  name: "C",
  allowedOperations: ["A/B"],
  ...withoutCodeGrant,
  enabled: true,
};
const actor = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "j",
  operation: "x",
  requestId: "r",
};
const input = {
  idempotencyKeyHash: "key-1",
  grantId: "g-2",
  accessTokenId: "a",
  brokerTokenId: "b",
  keyId: "k",
  requiredScopes: new Map([["A/B", ["a"]]]),
};
const pending: DeviceAuthorization = {
  deviceCodeHash: "device-hash",
  userCodeHash: "user-hash",
  tenantId: "t-1",
  oauthClientId: "c-1",
  requestedScopes: ["a"],
  popKeyId: "",
  state: "pending",
  revision: 1,
  createdAt: now,
  expiresAt: now + 600_000,
  intervalSeconds: 5,
  lastPollAt: undefined,
  approverId: "user-1",
  approvedScopes: ["a"],
  consumption: undefined,
};
const consumption = { grantId: "g-1", principalId: "p-1", idempotencyKeyHash: "key-1", at: now };
const grant: Grant = {
  grantId: "g-1",
  tenantId: "t-1",
  principalId: "user-1",
  oauthClientId: "c-1",
  scopes: ["a"],
  keyId: "k",
  issuedAt: now / 1000,
  expiresAt: now / 1000 + 900,
  accessTokenId: "a",
  brokerTokenId: "b",
  popKeyId: "",
};

const decideAt = (at: number, change: Partial<DeviceAuthorization>) => {
  const authorization = { ...pending, ...change };
  const snapshot: DeviceCodeSnapshot = {
    authorization,
    oauthClient,
    approverActive: true,
    grant: authorization.state === "consumed" ? grant : undefined,
    grantRevoked: false,
    refreshFamily: undefined,
  };
  return decideExchange(snapshot, input, actor, at).outcome;
};

describe("DECISIONS section 4: setting the clock back reopens no closed window", () => {
  it.each([
    { state: "pending", back: 0, status: "authorization_pending" },
    { state: "pending", back: 4_999, status: "authorization_pending" },
    { state: "pending", back: hour, status: "expired_token" },
    { state: "approved", back: hour, status: "expired_token" },
  ] as const)("a code that is $state, $back ms before its creation, is $status", ({ state, back, status }) => {
    expect(decideAt(now - back, { state })).toMatchObject({ ok: true, status });
  });

  it.each([
    { back: 0, outcome: { ok: true, status: "approved", grant } },
    { back: 4_999, outcome: { ok: true, status: "approved", grant } },
    { back: hour, outcome: { ok: false, reason: "DEVICE_CODE_CONSUMED" } },
  ])("a replay $back ms before the code was consumed returns $outcome", ({ back, outcome }) => {
    expect(decideAt(now - back, { state: "consumed", consumption })).toEqual(outcome);
  });

  it("accepts a poll an hour before the last accepted one, instead of slow_down for an hour", () => {
    const since = { createdAt: now - 2 * hour, expiresAt: now + 600_000, lastPollAt: now };
    expect(decideAt(now - hour, since)).toMatchObject({ status: "authorization_pending" });
    expect(decideAt(now - 4_000, since)).toMatchObject({ status: "slow_down" });
  });
});
