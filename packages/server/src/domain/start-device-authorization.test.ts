import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import {
  type DeviceAuthorization,
  formatUserCode,
  normalizeUserCode,
  userCodeAlphabet,
} from "./device-authorization.js";
import { decideStartDeviceAuthorization } from "./start-device-authorization.js";

const now = 1_700_000_000_000;
const actor = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "jti-1",
  operation: "start",
  requestId: "r-1",
};
const oauthClient = {
  tenantId: "t-1",
  oauthClientId: "c-1",
  name: "Agent",
  allowedOperations: [],
  ...withoutCodeGrant,
  enabled: true,
};
const wanted = {
  deviceCodeHash: "device-hash",
  userCodeHash: "user-hash",
  tenantId: "t-1",
  oauthClientId: "c-1",
  requestedScopes: ["b", "a", "b"],
  popKeyId: "thumbprint",
};
const started: DeviceAuthorization = {
  ...wanted,
  requestedScopes: ["a", "b"],
  state: "pending",
  revision: 1,
  createdAt: now,
  expiresAt: now + 600_000,
  intervalSeconds: 5,
  lastPollAt: undefined,
  approverId: undefined,
  approvedScopes: [],
  consumption: undefined,
};

describe("StartDeviceAuthorization (DECISIONS section 4, RFC 8628 section 3.1)", () => {
  it("starts as pending for 600 s, with an interval of 5 s and the scopes sorted without duplicates", () => {
    const { outcome, writes } = decideStartDeviceAuthorization(
      { oauthClient, authorization: undefined },
      wanted,
      actor,
      now,
    );
    expect(outcome).toEqual({ ok: true, authorization: started });
    expect(writes).toMatchObject([
      { kind: "deviceAuthorization", authorization: started },
      { kind: "audit", record: { event: "started", subject: "device-authorization:c-1" } },
    ]);
  });

  it.each([undefined, { ...oauthClient, enabled: false }])("rejects a missing or disabled OAuth client", (client) => {
    const given = { oauthClient: client, authorization: undefined };
    expect(decideStartDeviceAuthorization(given, wanted, actor, now)).toEqual({
      outcome: { ok: false, reason: "OAUTH_CLIENT_NOT_FOUND" },
      writes: [],
    });
  });

  it.each<[DeviceAuthorization["state"], number, boolean]>([
    ["pending", now + 1, true],
    ["approved", now + 1, true],
    ["denied", now + 1, true],
    ["consumed", now + 1, true],
    ["pending", now, false],
    ["consumed", now - 1, false],
  ])("the user code of an authorization that is %s and expires at %d is taken: %s", (state, expiresAt, taken) => {
    const given = { oauthClient, authorization: { ...started, state, expiresAt } };
    const { outcome, writes } = decideStartDeviceAuthorization(given, wanted, actor, now);
    expect(outcome.ok ? "free" : outcome.reason).toBe(taken ? "USER_CODE_TAKEN" : "free");
    expect(writes.length > 0).toBe(!taken);
  });
});

describe("user codes (DECISIONS section 4: displayed as XXXX-XXXX; input ignores case and everything but letters)", () => {
  it.each([
    ["BCDF-GHJK", "BCDFGHJK"],
    ["bcdf-ghjk", "BCDFGHJK"],
    ["bCdF ghJK", "BCDFGHJK"],
    [" B.C.D.F\t—G1H2J3K4 ", "BCDFGHJK"],
    ["", ""],
    ["1234-5678", ""],
  ])("normalizes %j to %j", (typed, letters) => {
    expect(normalizeUserCode(typed)).toBe(letters);
  });

  it("are unchanged by formatting and normalizing", () => {
    expect(formatUserCode("BCDFGHJK")).toBe("BCDF-GHJK");
    expect(normalizeUserCode(formatUserCode("BCDFGHJK"))).toBe("BCDFGHJK");
  });

  it("use 20 letters without vowels (RFC 8628 section 6.1)", () => {
    expect(new Set(userCodeAlphabet).size).toBe(20);
    expect(userCodeAlphabet).not.toMatch(/[AEIOUY]/);
    expect(normalizeUserCode(userCodeAlphabet)).toBe(userCodeAlphabet);
  });
});
