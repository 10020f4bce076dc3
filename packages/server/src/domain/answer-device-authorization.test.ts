import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import { decideAnswerDeviceAuthorization, decideGetDeviceAuthorization } from "./answer-device-authorization.js";
import type { DeviceAuthorization, UserCodeSnapshot } from "./device-authorization.js";

const now = 1_700_000_000_000;
const approver = { tenantId: "t-1", principalId: "p-1" };
const actor = { ...approver, oauthClientId: "console", tokenId: "jti-1", operation: "answer", requestId: "r-1" };

const pending: DeviceAuthorization = {
  deviceCodeHash: "device-hash",
  userCodeHash: "user-hash",
  tenantId: "t-1",
  oauthClientId: "c-1",
  requestedScopes: ["a", "b"],
  popKeyId: "",
  state: "pending",
  revision: 4,
  createdAt: now - 1000,
  expiresAt: now + 1,
  intervalSeconds: 10,
  lastPollAt: now - 500,
  approverId: undefined,
  approvedScopes: [],
  consumption: undefined,
};
const oauthClient = {
  tenantId: "t-1",
  oauthClientId: "c-1",
  name: "Agent",
  allowedOperations: [],
  ...withoutCodeGrant,
  enabled: true,
  registeredAt: now - 5000,
  registeredBy: "admin-1",
};

const snapshot = (change: Partial<UserCodeSnapshot> = {}): UserCodeSnapshot => ({
  authorization: pending,
  oauthClient,
  principalActive: true,
  ...change,
});
const after = (change: Partial<DeviceAuthorization>) => snapshot({ authorization: { ...pending, ...change } });

const rejections: { name: string; given: UserCodeSnapshot; reason: string }[] = [
  { name: "unknown", given: snapshot({ authorization: undefined }), reason: "USER_CODE_INVALID" },
  { name: "of another tenant", given: after({ tenantId: "t-2" }), reason: "USER_CODE_INVALID" },
  {
    name: "used by an inactive principal",
    given: snapshot({ principalActive: false }),
    reason: "PRINCIPAL_DISABLED",
  },
  {
    name: "unknown and used by an inactive principal (no oracle)",
    given: snapshot({ authorization: undefined, principalActive: false }),
    reason: "PRINCIPAL_DISABLED",
  },
];

describe("GetDeviceAuthorization (INTERNAL)", () => {
  it.each<[DeviceAuthorization["state"], number, string]>([
    ["pending", now + 1, "pending"],
    ["approved", now + 1, "approved"],
    ["pending", now, "expired"],
    ["approved", now, "expired"],
    ["denied", now, "denied"],
    ["consumed", now, "consumed"],
    ["burned", now, "burned"],
  ])("%s, expires at %d: status %s", (state, expiresAt, status) => {
    const given = after({ state, expiresAt });
    expect(decideGetDeviceAuthorization(given, approver, now)).toEqual({
      outcome: {
        ok: true,
        authorization: given.authorization,
        oauthClientName: "Agent",
        oauthClientRegisteredAt: now - 5000,
        oauthClientRegisteredBy: "admin-1",
        status,
      },
      writes: [],
    });
  });

  it.each(rejections)("rejects a code that is $name with $reason", ({ given, reason }) => {
    expect(decideGetDeviceAuthorization(given, approver, now)).toEqual({ outcome: { ok: false, reason }, writes: [] });
  });
});

describe.each([
  { verb: "Approve", answer: { approve: ["b", "a", "b"] }, state: "approved", approvedScopes: ["a", "b"] },
  { verb: "Deny", answer: "deny" as const, state: "denied", approvedScopes: [] },
])("$verbDeviceAuthorization (INTERNAL, RFC 8628 section 3.3)", ({ answer, state, approvedScopes }) => {
  const decide = (given: UserCodeSnapshot) => decideAnswerDeviceAuthorization(given, approver, answer, actor, now);

  it(`sets a pending authorization to ${state} with approver and scopes, and leaves the polling unchanged`, () => {
    const { outcome, writes } = decide(snapshot());
    expect(outcome).toEqual({ ok: true });
    expect(writes).toMatchObject([
      {
        kind: "deviceAuthorization",
        authorization: { ...pending, state, revision: 5, approverId: "p-1", approvedScopes },
      },
      { kind: "audit", record: { event: state, subject: "device-authorization:c-1/p-1", at: now } },
    ]);
  });

  it.each<[string, Partial<DeviceAuthorization>]>([
    ["approved", { state: "approved" }],
    ["denied", { state: "denied" }],
    ["consumed", { state: "consumed" }],
    ["burned", { state: "burned" }],
    ["expired, so that a late approval never makes a code valid again", { expiresAt: now }],
  ])("rejects an authorization that is %s with DEVICE_AUTHORIZATION_DECIDED", (_, change) => {
    expect(decide(after(change))).toEqual({
      outcome: { ok: false, reason: "DEVICE_AUTHORIZATION_DECIDED" },
      writes: [],
    });
  });

  it.each(rejections)("rejects a code that is $name with $reason", ({ given, reason }) => {
    expect(decide(given)).toEqual({ outcome: { ok: false, reason }, writes: [] });
  });
});

describe("the approved scopes are a subset of the requested ones", () => {
  it.each([
    { approve: ["a"], answer: { ok: true } },
    { approve: ["a", "b"], answer: { ok: true } },
    { approve: ["a", "c"], answer: { ok: false, reason: "SCOPES_NOT_REQUESTED" } },
    { approve: ["A"], answer: { ok: false, reason: "SCOPES_NOT_REQUESTED" } },
  ])("approving $approve out of a and b returns $answer", ({ approve, answer }) => {
    const { outcome, writes } = decideAnswerDeviceAuthorization(snapshot(), approver, { approve }, actor, now);
    expect(outcome).toEqual(answer);
    expect(writes.length > 0).toBe(answer.ok);
  });
});
