import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import type { DeviceAuthorization } from "./device-authorization.js";
import type { ExchangeInput } from "./exchange-device-code.js";
import { decideRedeemWithProof } from "./redeem-with-proof.js";

const now = 1_700_000_000_000;
const actor = {
  tenantId: "t-1",
  principalId: "",
  oauthClientId: "c-1",
  tokenId: "",
  operation: "accounts/oauth/token",
  requestId: "r-1",
};
const oauthClient = {
  tenantId: "t-1",
  oauthClientId: "c-1",
  name: "C",
  allowedOperations: ["x"],
  ...withoutCodeGrant,
  enabled: true,
};
const approved: DeviceAuthorization = {
  deviceCodeHash: "device-hash",
  userCodeHash: "user-hash",
  tenantId: "t-1",
  oauthClientId: "c-1",
  requestedScopes: ["a"],
  popKeyId: "key-1",
  state: "approved",
  revision: 2,
  createdAt: now,
  expiresAt: now + 600_000,
  intervalSeconds: 5,
  lastPollAt: undefined,
  approverId: "user-1",
  approvedScopes: ["a"],
  consumption: undefined,
};
const input: ExchangeInput = {
  idempotencyKeyHash: undefined,
  grantId: "g-1",
  accessTokenId: "a-1",
  brokerTokenId: "b-1",
  keyId: "k-1",
  requiredScopes: new Map([["x", ["a"]]]),
};
const decide = (authorization: DeviceAuthorization | undefined, proofKeyId: string) =>
  decideRedeemWithProof(
    {
      authorization,
      oauthClient,
      approverActive: true,
      grant: undefined,
      grantRevoked: false,
      refreshFamily: undefined,
    },
    { ...input, proofKeyId },
    actor,
    now,
  );

describe("a device code and the key of its caller (RFC 9449 section 5)", () => {
  it.each(["", "key-2"])("a bound code is not consumed by a caller with the proof %j", (proofKeyId) => {
    expect(decide(approved, proofKeyId)).toEqual({ outcome: { ok: false, reason: "PROOF_KEY_REQUIRED" }, writes: [] });
  });

  it.each([
    ["key-1", "key-1", "key-1"],
    ["", "key-2", "key-2"],
    ["", "", ""],
  ])(
    "a code with the key %j, redeemed with a proof of %j: its tokens are bound to %j",
    (popKeyId, proofKeyId, bound) => {
      expect(decide({ ...approved, popKeyId }, proofKeyId).outcome).toMatchObject({ grant: { popKeyId: bound } });
    },
  );

  it("a foreign caller learns nothing of the key", () => {
    const foreign = decide({ ...approved, oauthClientId: "c-2" }, "");
    expect(foreign).toEqual(decide(undefined, ""));
  });
});
