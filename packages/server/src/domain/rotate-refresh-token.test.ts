import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import type { Actor } from "./actor.js";
import type { Write } from "./decision.js";
import type { Grant } from "./grant.js";
import { openRefreshFamily } from "./open-refresh-family.js";
import type { RecordSnapshot, StoredRecord } from "./record.js";
import { decideRecordTokenUse } from "./record-token-use.js";
import { familyOfRecord, generationOfGrant, grantIdOf, refreshFamilyLife } from "./refresh-family.js";
import { decideRevokeRefreshFamily, type RevokedBy } from "./revoke-refresh-family.js";
import { decideRotation, type RotateInput, type RotateOutcome } from "./rotate-refresh-token.js";

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const day = 24 * 60 * minute;
const actor: Actor = {
  tenantId: "t-1",
  principalId: "",
  oauthClientId: "c-1",
  tokenId: "",
  operation: "accounts/oauth/token",
  requestId: "r-1",
};
const requiredScopes = new Map([
  ["op-a", ["a"]],
  ["op-b", ["b"]],
]);
const oauthClient = {
  tenantId: "t-1",
  oauthClientId: "c-1",
  name: "C",
  allowedOperations: ["op-a", "op-b"],
  ...withoutCodeGrant,
  enabled: true,
};
const grant: Grant = {
  grantId: "g-1",
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  scopes: ["a", "b"],
  keyId: "k-1",
  issuedAt: start / 1000,
  expiresAt: start / 1000 + 900,
  accessTokenId: "a-1",
  brokerTokenId: "b-1",
  popKeyId: "",
};

/** A storage of one family, to which decisions are applied. */
function openFamily(changes: Partial<Grant> = {}) {
  let record: StoredRecord | undefined;
  let ids = 1;
  const revoked: string[] = [];
  const events: string[] = [];
  const apply = (writes: readonly Write[]) => {
    for (const write of writes) {
      if (write.kind === "record") record = write.record;
      if (write.kind === "revocation") revoked.push(write.subjectId);
      if (write.kind === "audit") events.push(write.record.event);
    }
  };
  const snapshot = (more: Partial<RecordSnapshot> = {}): RecordSnapshot => ({
    record,
    principalActive: true,
    oauthClient,
    ...more,
  });
  apply(openRefreshFamily({ ...grant, ...changes }, actor, start));
  return {
    revoked,
    events,
    family: () => (record === undefined ? undefined : familyOfRecord(record)),
    rotate(generation: number, now: number, input: Partial<RotateInput> = {}, more: Partial<RecordSnapshot> = {}) {
      ids += 1;
      const asked = { grantId: `g-${ids}`, accessTokenId: `a-${ids}`, brokerTokenId: `b-${ids}`, keyId: "k-1" };
      const whole = { ...asked, generation, proofKeyId: "", scopes: undefined, requiredScopes, ...input };
      const { outcome, writes } = decideRotation(snapshot(more), whole, actor, now);
      apply(writes);
      return outcome;
    },
    foreign(generation: number, now: number) {
      const other = { ...actor, oauthClientId: "c-2" };
      const input = { ...grant, generation, proofKeyId: "", scopes: undefined, requiredScopes };
      const { outcome, writes } = decideRotation(snapshot(), input, other, now);
      apply(writes);
      return outcome;
    },
    /** Records that an access token of a generation is in use. Returns the number of writes. */
    use(generation: number, now: number, tenantId = actor.tenantId) {
      const { writes } = decideRecordTokenUse(snapshot(), generation, tenantId, now);
      apply(writes);
      return writes.length;
    },
    revoke(by: RevokedBy, who: Actor, now: number) {
      const { outcome, writes } = decideRevokeRefreshFamily(snapshot(), by, "signed out", who, now);
      apply(writes);
      return outcome;
    },
  };
}

const reasonOf = (outcome: RotateOutcome) => (outcome.ok ? `generation ${outcome.generation}` : outcome.reason);

describe("rotation (RFC 9700 section 4.14.2)", () => {
  it("a refresh token is exchanged for the next one and a new access token", () => {
    const family = openFamily();
    expect(family.rotate(1, start + minute)).toEqual({
      ok: true,
      generation: 2,
      grant: {
        ...grant,
        grantId: "g-2.g-1.2",
        accessTokenId: "a-2",
        brokerTokenId: "b-2",
        issuedAt: start / 1000 + 60,
        expiresAt: start / 1000 + 960,
      },
    });
    expect(family.revoked).toEqual([]);
  });

  it("20 calls with one token get the same answer, and change the family once", () => {
    const family = openFamily();
    const outcomes = Array.from({ length: 20 }, () => family.rotate(1, start + minute));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect([family.family()?.generation, family.revoked]).toEqual([2, []]);
  });

  it.each([
    ["in the same second", 0],
    ["after an outage of 65 s", 65_000],
    ["a moment before its access token expires", 900_000 - 1],
  ])("a replaced token sent again %s gets the same tokens", (_, after) => {
    const family = openFamily();
    const answer = family.rotate(1, start);
    expect(family.rotate(1, start + after)).toEqual(answer);
    expect([family.family()?.generation, family.revoked]).toEqual([2, []]);
  });

  it("a replaced token sent again after an outage of a week gets the same successor, and a new access token", () => {
    const family = openFamily();
    family.rotate(1, start);
    const grantId = "g-3.g-1.2";
    expect(family.rotate(1, start + 7 * day)).toMatchObject({
      generation: 2,
      grant: { grantId, accessTokenId: "a-3" },
    });
    // From now on, that is the token of a retry.
    expect(family.rotate(1, start + 7 * day + minute)).toMatchObject({ generation: 2, grant: { grantId } });
    expect(reasonOf(family.rotate(2, start + 8 * day))).toBe("generation 3");
  });

  it("an access token that seems to be issued in the future is not sent again", () => {
    const family = openFamily();
    family.rotate(1, start + 2 * day);
    expect(family.rotate(1, start + day)).toMatchObject({ generation: 2, grant: { grantId: "g-3.g-1.2" } });
  });

  it("a replaced token sent again once the next one was used revokes the family", () => {
    const family = openFamily();
    for (const used of [1, 2]) family.rotate(used, start + minute);
    expect(reasonOf(family.rotate(1, start + minute + 1))).toBe("REFRESH_TOKEN_REUSED");
    expect(family.revoked).toEqual(["g-1", "g-2.g-1.2", "g-3.g-1.3"]);
  });

  it("reuse revokes the family: no token of it works any more, and the audit trail says why", () => {
    const family = openFamily();
    family.rotate(1, start);
    family.use(2, start);
    expect(reasonOf(family.rotate(1, start + 1))).toBe("REFRESH_TOKEN_REUSED");
    expect(family.revoked).toEqual(["g-1", "g-2.g-1.2"]);
    expect(reasonOf(family.rotate(2, start + 2 * minute))).toBe("REFRESH_TOKEN_INVALID");
    expect(family.events.at(-1)).toBe("revoked: replaced refresh token used again");
  });

  it("a token of another OAuth client revokes its family", () => {
    const family = openFamily();
    expect(reasonOf(family.foreign(1, start))).toBe("REFRESH_TOKEN_REUSED");
    expect(family.revoked).toEqual(["g-1"]);
  });

  it("a token that is newer than the stored generation works: the storage lost its last commit", () => {
    expect(reasonOf(openFamily().rotate(4, start))).toBe("generation 5");
  });
});

describe("the use of an access token (DECISIONS section 9)", () => {
  it("is recorded once for each generation", () => {
    const family = openFamily();
    family.rotate(1, start);
    expect([family.use(2, start + 5), family.use(2, start + 6)]).toEqual([1, 0]);
    expect(family.family()?.usedAt).toBe(start + 5);
    family.rotate(2, start + minute);
    expect([family.use(2, start + minute), family.family()?.usedAt]).toEqual([0, undefined]);
    expect(family.use(3, start + minute)).toBe(1);
  });

  it("of an earlier generation leaves the replaced token repeatable", () => {
    const family = openFamily();
    family.rotate(1, start);
    expect(family.use(1, start)).toBe(0);
    expect(reasonOf(family.rotate(1, start + 1))).toBe("generation 2");
  });

  it("is not recorded for another tenant, for a family that has ended, and for one with a key", () => {
    const family = openFamily();
    family.rotate(1, start);
    expect(family.use(2, start, "t-2")).toBe(0);
    expect(family.use(2, start + refreshFamilyLife)).toBe(0);
    const bound = openFamily({ popKeyId: "K".repeat(43) });
    bound.rotate(1, start, { proofKeyId: "K".repeat(43) });
    expect(bound.use(2, start)).toBe(0);
  });

  it("the id of a grant names its family and generation; that of the first grant, and of any other, does not", () => {
    const generation = { familyId: "0192f0c1-7d5e-7a54-9d0e-4b2f6f5f1a11", generation: 12 };
    expect(generationOfGrant(grantIdOf("0192f0c1-7d5e-7a54-9d0e-4b2f6f5f1a12", generation))).toEqual(generation);
    for (const other of ["", generation.familyId, "a.b", "a.b.0", "a.b.1.2", "a..1", `a.${"b".repeat(129)}.1`]) {
      expect(generationOfGrant(other)).toBeUndefined();
    }
  });
});

describe("the key of a family (RFC 9449 section 5)", () => {
  const key = "K".repeat(43);
  it.each([
    ["without a proof", "", "PROOF_KEY_REQUIRED"],
    ["with a proof of another key", "other", "PROOF_KEY_REQUIRED"],
    ["with a proof of its key", key, "generation 2"],
  ])("%s", (_, proofKeyId, reason) => {
    const family = openFamily({ popKeyId: key });
    expect(reasonOf(family.rotate(1, start, { proofKeyId }))).toBe(reason);
    expect(family.revoked).toEqual([]);
  });

  it("with a proof of its key, a replaced token gets the same tokens until the next one was used", () => {
    const family = openFamily({ popKeyId: key });
    const answer = family.rotate(1, start, { proofKeyId: key });
    family.use(2, start);
    expect(family.rotate(1, start + minute, { proofKeyId: key })).toEqual(answer);
    family.rotate(2, start + minute, { proofKeyId: key });
    expect(reasonOf(family.rotate(1, start + minute, { proofKeyId: key }))).toBe("REFRESH_TOKEN_REUSED");
  });

  it.each(["", "other"])("a replaced token with a proof of the key %j revokes the family at once", (proofKeyId) => {
    const family = openFamily({ popKeyId: key });
    family.rotate(1, start, { proofKeyId: key });
    expect(reasonOf(family.rotate(1, start + 1, { proofKeyId }))).toBe("REFRESH_TOKEN_REUSED");
    expect(family.revoked).toEqual(["g-1", "g-2.g-1.2"]);
  });

  it("an unbound family may be used with a proof: only the new access token is bound", () => {
    const family = openFamily();
    expect(family.rotate(1, start, { proofKeyId: key })).toMatchObject({ grant: { popKeyId: key } });
    expect(family.family()?.popKeyId).toBe("");
  });
});

describe("each refresh asks again", () => {
  it.each<[string, Partial<RotateInput>, Partial<RecordSnapshot>, string]>([
    ["the OAuth client is disabled", {}, { oauthClient: { ...oauthClient, enabled: false } }, "OAUTH_CLIENT_DISABLED"],
    ["the OAuth client is gone", {}, { oauthClient: undefined }, "OAUTH_CLIENT_DISABLED"],
    ["the principal is inactive", {}, { principalActive: false }, "PRINCIPAL_DISABLED"],
    ["a scope was not approved", { scopes: ["a", "c"] }, {}, "SCOPES_NOT_GRANTED"],
    ["no scope may be granted", {}, { oauthClient: { ...oauthClient, allowedOperations: [] } }, "SCOPES_NOT_GRANTED"],
  ])("%s", (_, input, snapshot, reason) => {
    const family = openFamily();
    expect(reasonOf(family.rotate(1, start, input, snapshot))).toBe(reason);
    expect([family.family()?.generation, family.revoked]).toEqual([1, []]);
  });

  it("fewer scopes are for one access token only", () => {
    const family = openFamily();
    expect(family.rotate(1, start, { scopes: ["b"] })).toMatchObject({ grant: { scopes: ["b"] } });
    expect(family.rotate(2, start)).toMatchObject({ grant: { scopes: ["a", "b"] } });
  });

  it("a retry with other scopes gets another access token, and the same refresh token", () => {
    const family = openFamily();
    family.rotate(1, start, { scopes: ["b"] });
    expect(family.rotate(1, start, { scopes: ["a"] })).toMatchObject({ generation: 2, grant: { scopes: ["a"] } });
  });

  it("a narrowed allowlist narrows the scopes", () => {
    const narrowed = { oauthClient: { ...oauthClient, allowedOperations: ["op-b"] } };
    expect(openFamily().rotate(1, start, {}, narrowed)).toMatchObject({ grant: { scopes: ["b"] } });
  });
});

describe("the life of a family", () => {
  it("is 30 days, however often it is used, and no access token outlives it", () => {
    const family = openFamily();
    for (let used = 1; used < 30; used += 1) family.rotate(used, start + used * day);
    const last = start + refreshFamilyLife - 1000;
    expect(family.rotate(30, last)).toMatchObject({ grant: { expiresAt: last / 1000 + 1 } });
    expect(reasonOf(family.rotate(31, start + refreshFamilyLife))).toBe("REFRESH_TOKEN_INVALID");
  });

  it("its 17th live access token revokes the first one", () => {
    const family = openFamily();
    for (let used = 1; used <= 16; used += 1) family.rotate(used, start + used);
    expect(family.revoked).toEqual(["g-1"]);
    expect(family.family()?.liveGrants).toHaveLength(16);
  });

  it("expired access tokens are forgotten", () => {
    const family = openFamily();
    family.rotate(1, start + 15 * minute);
    expect(family.family()?.liveGrants.map(({ grantId }) => grantId)).toEqual(["g-2.g-1.2"]);
  });

  it("stays revoked when the clock is set back", () => {
    const family = openFamily();
    family.revoke("its OAuth client", actor, start + 61 * minute);
    expect(reasonOf(family.rotate(1, start))).toBe("REFRESH_TOKEN_INVALID");
  });

  it("its own OAuth client may revoke it, and no other", () => {
    const family = openFamily();
    const other = { ...actor, oauthClientId: "c-2" };
    expect(family.revoke("its OAuth client", other, start)).toEqual({ ok: false });
    expect(family.revoked).toEqual([]);
    expect(family.revoke("its OAuth client", actor, start)).toEqual({ ok: true });
    expect(family.revoked).toEqual(["g-1"]);
  });

  it("the person who approved may revoke it, and no other person", () => {
    const family = openFamily();
    const person = { ...actor, principalId: grant.principalId, oauthClientId: "" };
    for (const other of [
      { ...person, principalId: "p-9" },
      { ...person, tenantId: "t-9" },
    ]) {
      expect(family.revoke("its principal", other, start)).toEqual({ ok: false });
    }
    expect(family.revoked).toEqual([]);
    expect(family.revoke("its principal", person, start)).toEqual({ ok: true });
    expect(family.revoked).toEqual(["g-1"]);
  });
});
