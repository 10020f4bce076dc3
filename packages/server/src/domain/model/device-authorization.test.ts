import { describe, expect, it } from "vitest";
import { storedRecords } from "../../testing/stored-records.js";
import { withoutCodeGrant } from "../../testing/without-code-grant.js";
import { answerDeviceAuthorization, decideGetDeviceAuthorization } from "../answer-device-authorization.js";
import { decideExchange } from "../exchange-device-code.js";
import { startDeviceAuthorization } from "../start-device-authorization.js";
import { oauthClients, principals } from "./access.js";
import type { Decision } from "./decision.js";
import {
  type DeviceAuthorization,
  deviceAuthorizations,
  type ExchangeInput,
  formatUserCode,
  normalizeUserCode,
  userCodeAlphabet,
  userCodes,
} from "./device-authorization.js";

// What the tables of `testing/cases` cannot reach: they make an authorization by its start and its calls only.

const now = 1_700_000_000_000;
const actor = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1", tokenId: "", operation: "", requestId: "" };
const oauthClient = {
  tenantId: "t-1",
  oauthClientId: "c-1",
  name: "Agent",
  allowedOperations: ["x"],
  ...withoutCodeGrant,
  enabled: true,
  registeredAt: now - 5000,
  registeredBy: "admin-1",
};
const pending: DeviceAuthorization = {
  deviceCodeHash: "device-hash",
  userCodeHash: "user-hash",
  tenantId: "t-1",
  oauthClientId: "c-1",
  requestedScopes: ["a"],
  popKeyId: "",
  state: "pending",
  revision: 4,
  createdAt: now,
  expiresAt: now + 500_000,
  intervalSeconds: 5,
  lastPollAt: undefined,
  approverId: undefined,
  approvedScopes: [],
  consumption: undefined,
};
const approved = { ...pending, state: "approved", approverId: "p-2", approvedScopes: ["a"] } as const;
const input: ExchangeInput = {
  deviceCodeHash: "device-hash",
  idempotencyKeyHash: undefined,
  grantId: "g-1",
  accessTokenId: "a-1",
  brokerTokenId: "b-1",
  keyId: "k-1",
  requiredScopes: new Map([["x", ["a", "b"]]]),
};
const approver = { tenantId: "t-1", principalId: "p-2" };
/** Returns what is stored with an authorization. */
const given = (authorization?: DeviceAuthorization, client?: typeof oauthClient, approverActive = true) =>
  storedRecords(
    principals.create({ ...approver, active: approverActive }, 0),
    ...(client === undefined ? [] : [oauthClients.create(client, 0)]),
    ...(authorization === undefined ? [] : [deviceAuthorizations.create(authorization, 0)]),
    userCodes.create({ ...pending }, 0),
  );
const decideOn = (authorization: DeviceAuthorization, client?: typeof oauthClient, approverActive = true) =>
  decideExchange(given(authorization, client, approverActive), input, actor, now);
const exchange = (authorization: DeviceAuthorization, client?: typeof oauthClient) =>
  decideOn(authorization, client).outcome;

describe("DECISIONS section 4: states that no call leads to", () => {
  it("grants no scope that was approved but not requested", () => {
    expect(exchange({ ...approved, approvedScopes: ["a", "b"] }, oauthClient)).toMatchObject({
      grant: { scopes: ["a"] },
    });
  });

  it("grants nothing to an OAuth client that was removed", () => {
    expect(exchange(approved)).toMatchObject({ status: "access_denied", because: "no_scopes" });
  });

  it.each([
    [1_750, "authorization_pending"],
    [1_749, "slow_down"],
  ])("tolerates at least 250 ms: a poll after %d ms at an interval of 2 s is %s", (since, status) => {
    expect(exchange({ ...pending, intervalSeconds: 2, lastPollAt: now - since })).toMatchObject({ status });
  });
});

describe("DECISIONS section 8: the audit records of a device authorization have the versions before and after", () => {
  const auditOf = ({ writes }: Decision<unknown>) =>
    writes.flatMap((write) => (write.kind === "audit" ? write.record : []));
  const subject = "device-authorization:c-1";

  it.each<[string, Decision<unknown>, object]>([
    [
      "the start",
      startDeviceAuthorization(pending, actor, now)(given(undefined, oauthClient)),
      { subject, event: "started", versionBefore: 0, versionAfter: 1 },
    ],
    [
      "an approval",
      answerDeviceAuthorization("user-hash", approver, { approve: ["a"] }, actor, now)(given(pending, oauthClient)),
      { subject: `${subject}/p-2`, event: "approved", versionBefore: 4, versionAfter: 5 },
    ],
    [
      "an approval with bounds, of a request with bounds",
      answerDeviceAuthorization(
        "user-hash",
        approver,
        { approve: ["a"], bounds: { vaults: ["v-1", "v-2"], maxDeletions: 5 } },
        actor,
        now,
      )(given({ ...pending, requestedBounds: { vaults: ["v-2"], maxDeletions: 9 } }, oauthClient)),
      {
        subject: `${subject}/p-2`,
        event: "approved: vaults v-2, at most 5 deletions",
        versionBefore: 4,
        versionAfter: 5,
      },
    ],
    [
      "a denial",
      answerDeviceAuthorization("user-hash", approver, "deny", actor, now)(given(pending, oauthClient)),
      { subject: `${subject}/p-2`, event: "denied", versionBefore: 4, versionAfter: 5 },
    ],
    [
      "a grant",
      decideOn(approved, oauthClient),
      { subject: "grant:g-1", event: "granted", versionBefore: 4, versionAfter: 5 },
    ],
    [
      "a code that is burned",
      decideOn(approved, oauthClient, false),
      { subject: `${subject}/p-2`, event: "burned: approver not active", versionBefore: 4, versionAfter: 5 },
    ],
  ])("%s", (_, decision, record) => {
    expect(auditOf(decision)).toEqual([expect.objectContaining({ subjectTenantId: "t-1", at: now, ...record })]);
  });
});

it("INTERNAL, GetDeviceAuthorization: shows who registered the OAuth client, when, and whether it is unbounded", () => {
  expect(decideGetDeviceAuthorization(given(pending, oauthClient), "user-hash", approver, now).outcome).toMatchObject({
    oauthClientRegisteredAt: now - 5000,
    oauthClientRegisteredBy: "admin-1",
    oauthClientUnbounded: false,
  });
  const unbounded = { ...oauthClient, unbounded: true };
  const found = decideGetDeviceAuthorization(given(pending, unbounded), "user-hash", approver, now);
  expect(found.outcome).toMatchObject({ oauthClientUnbounded: true });
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
