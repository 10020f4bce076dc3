import { describe, expect, it } from "vitest";
import { oauthClientOf } from "../../testing/access-values.js";
import { createMemoryStorage } from "../../testing/cases/memory-storage.js";
import { fakeClock } from "../../testing/fake-clock.js";
import { createDeviceFixture, resultOf } from "../../testing/storage-suite/device-fixture.js";
import { storedRecords } from "../../testing/stored-records.js";
import { answerDeviceAuthorization, decideGetDeviceAuthorization } from "../answer-device-authorization.js";
import { decideExchange } from "../exchange-device-code.js";
import { startDeviceAuthorization } from "../start-device-authorization.js";
import { oauthClients, principals } from "./access.js";
import type { Decision } from "./decision.js";
import {
  codeLifeSeconds,
  type DeviceAuthorization,
  deviceAuthorizations,
  type ExchangeInput,
  formatUserCode,
  normalizeUserCode,
  userCodeAlphabet,
  userCodes,
} from "./device-authorization.js";

const now = 1_700_000_000_000;
const actor = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1", tokenId: "", operation: "", requestId: "" };
const registered = { registeredAt: now - 5000, registeredBy: "admin-1" };
const oauthClient = oauthClientOf({ allowedOperations: ["x"], ...registered });
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
const given = (authorization?: DeviceAuthorization, client = oauthClient) =>
  storedRecords(
    principals.create({ ...approver, active: true }, 0),
    oauthClients.create(client, 0),
    ...(authorization === undefined ? [] : [deviceAuthorizations.create(authorization, 0)]),
    userCodes.create({ ...pending }, 0),
  );

it("DECISIONS section 4: a user code that is used again stays that of the newer authorization, whatever happens to the older one", async () => {
  const clock = fakeClock();
  const device = createDeviceFixture(createMemoryStorage(), clock);
  await device.setUp();
  await device.start("code-older", "user-1");
  clock.advance(codeLifeSeconds * 1000);
  await device.start("code-newer", "user-1");
  expect(resultOf(await device.exchange("code-older"))).toBe("expired_token");
  expect(await device.answer("user-1")).toEqual({ ok: true });
  expect(await device.find("code-newer")).toMatchObject({ state: "approved" });
  expect(await device.find("code-older")).toMatchObject({ state: "pending" });
});

describe("DECISIONS section 8: the audit records of a device authorization have the versions before and after", () => {
  const auditOf = ({ writes }: Decision<unknown>) =>
    writes.flatMap((write) => (write.kind === "audit" ? write.record : []));
  const subject = "device-authorization:c-1";

  it.each<[string, Decision<unknown>, object]>([
    [
      "the start",
      startDeviceAuthorization(pending, actor, now)(given()),
      { subject, event: "started", versionBefore: 0, versionAfter: 1 },
    ],
    [
      "an approval with bounds, of a request with bounds",
      answerDeviceAuthorization(
        "user-hash",
        approver,
        { approve: ["a"], bounds: { vaults: ["v-1", "v-2"], maxDeletions: 5 } },
        actor,
        now,
      )(given({ ...pending, requestedBounds: { vaults: ["v-2"], maxDeletions: 9 } })),
      {
        subject: `${subject}/p-2`,
        event: "approved: vaults v-2, at most 5 deletions",
        versionBefore: 4,
        versionAfter: 5,
      },
    ],
    [
      "a grant",
      decideExchange(given(approved), input, actor, now),
      { subject: "grant:g-1", event: "granted", versionBefore: 4, versionAfter: 5 },
    ],
  ])("%s", (_, decision, record) => {
    expect(auditOf(decision)).toEqual([expect.objectContaining({ subjectTenantId: "t-1", at: now, ...record })]);
  });
});

it("INTERNAL, GetDeviceAuthorization: shows who registered the OAuth client, when, and whether it is unbounded", () => {
  expect(decideGetDeviceAuthorization(given(pending), "user-hash", approver, now).outcome).toMatchObject({
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
