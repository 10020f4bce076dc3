import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import type { Actor } from "./actor.js";
import { type ApprovedAuthorization, newAuthorizationCode, recordOfCode } from "./authorization-code.js";
import type { Write } from "./decision.js";
import type { RecordsSnapshot, StoredRecord } from "./record.js";
import { type RedeemCodeInput, redeemAuthorizationCode } from "./redeem-authorization-code.js";
import { decideRevokeRefreshFamily } from "./revoke-refresh-family.js";
import { decideRotation } from "./rotate-refresh-token.js";

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
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
const approved: ApprovedAuthorization = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  scopes: ["a", "b"],
  redirectUri: "https://c.example/callback",
  codeChallenge: "challenge",
  resource: "https://api.example",
  popKeyId: "",
  refreshable: true,
};
const input: RedeemCodeInput = {
  grantId: "g-1",
  accessTokenId: "a-1",
  brokerTokenId: "b-1",
  keyId: "k-1",
  requiredScopes,
  redirectUri: approved.redirectUri,
  codeChallenge: approved.codeChallenge,
  resource: undefined,
  proofKeyId: "",
  retryKeyHash: "retry-1",
};
const granted = {
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
const invalid = { ok: false, reason: "CODE_INVALID" };
const reused = { ok: false, reason: "CODE_REUSED" };

/** A storage of one code and its refresh family, to which decisions are applied. */
function approve(changes: Partial<ApprovedAuthorization> = {}) {
  const code = newAuthorizationCode({ ...approved, ...changes }, { codeHash: "hash", grantId: "g-1" }, start);
  let codeRecord: StoredRecord = { ...recordOfCode(code), revision: 1 };
  let family: StoredRecord | undefined;
  const apply = (writes: readonly Write[]) => {
    for (const write of writes) {
      if (write.kind !== "record") continue;
      if (write.record.collection === codeRecord.collection) codeRecord = write.record;
      else family = write.record;
    }
  };
  const ofFamily = () => ({ record: family, principalActive: true, oauthClient });
  return {
    redeem(more: Partial<RedeemCodeInput> = {}, now = start, given: Partial<RecordsSnapshot> = {}, by = actor) {
      const snapshot = { vault: undefined, records: [codeRecord, family], ownerActive: true, oauthClient, ...given };
      const decision = redeemAuthorizationCode({ ...input, ...more }, by, now).decide(snapshot);
      apply(decision.writes);
      return decision;
    },
    refresh(now: number) {
      const asked = { ...input, grantId: "g-2", generation: 1, proofKeyId: "", scopes: undefined };
      apply(decideRotation(ofFamily(), asked, actor, now).writes);
    },
    revoke: (now: number) =>
      apply(decideRevokeRefreshFamily(ofFamily(), "its OAuth client", "signed out", actor, now).writes),
  };
}

/** The revoked grants, and the audit events, of a decision. */
const revocationsIn = (writes: readonly Write[]) =>
  writes.flatMap((write) => (write.kind === "revocation" ? [write.subjectId] : []));
const auditIn = (writes: readonly Write[]) =>
  writes.flatMap((write) => (write.kind === "audit" ? [`${write.record.subject} ${write.record.event}`] : []));

describe("an authorization code is redeemed (RFC 6749 section 4.1.3)", () => {
  it("for its grant and its refresh family, in one commit with their audit records", () => {
    const { outcome, writes } = approve().redeem();
    expect(outcome).toEqual({ ok: true, grant: granted, refreshable: true, resource: approved.resource });
    expect(writes).toMatchObject([
      { kind: "record", record: { collection: "authorization-code", revision: 2 } },
      { kind: "grant", grant: granted },
      { kind: "audit", record: { subjectTenantId: "t-1", subject: "grant:g-1", event: "granted" } },
      { kind: "record", record: { collection: "refresh-family", key: "g-1", revision: 1 } },
      { kind: "audit", record: { subject: "refresh-family:g-1", event: "opened", versionBefore: 0, versionAfter: 1 } },
    ]);
  });

  it("for a grant alone, if the client gets no refresh token", () => {
    const { outcome, writes } = approve({ refreshable: false }).redeem();
    expect(outcome).toMatchObject({ ok: true, refreshable: false });
    expect(writes.map(({ kind }) => kind)).toEqual(["record", "grant", "audit"]);
  });

  it.each([
    ["", "", ""],
    ["", "key-1", "key-1"],
    ["key-1", "key-1", "key-1"],
  ])(
    "with the key %j and a proof of %j: its tokens are bound to %j (RFC 9449 section 10)",
    (popKeyId, proof, bound) => {
      expect(approve({ popKeyId }).redeem({ proofKeyId: proof }).outcome).toMatchObject({ grant: { popKeyId: bound } });
    },
  );

  it.each<[string, Partial<RedeemCodeInput>, Partial<RecordsSnapshot>, unknown]>([
    ["an unknown code", {}, { records: [undefined, undefined] }, invalid],
    ["the code of another grant", { grantId: "g-2" }, {}, invalid],
    ["another redirect URI", { redirectUri: "https://c.example/other" }, {}, invalid],
    ["a wrong code verifier (RFC 7636 section 4.6)", { codeChallenge: "other" }, {}, invalid],
    ["another resource (RFC 8707)", { resource: "https://other.example" }, {}, { reason: "RESOURCE_NOT_APPROVED" }],
    ["an inactive person", {}, { ownerActive: false }, { reason: "PRINCIPAL_DISABLED" }],
    ["a client that may call nothing", {}, { oauthClient: undefined }, { reason: "SCOPES_NOT_GRANTED" }],
  ])("not for %s, and is not used up", (_, more, given, outcome) => {
    const code = approve();
    expect(code.redeem(more, start, given)).toMatchObject({ outcome, writes: [] });
    expect(code.redeem().outcome.ok).toBe(true);
  });

  it.each(["", "key-2"])("not without a proof of its key: %j", (proofKeyId) => {
    const { outcome, writes } = approve({ popKeyId: "key-1" }).redeem({ proofKeyId });
    expect([outcome, writes]).toEqual([{ ok: false, reason: "PROOF_KEY_REQUIRED" }, []]);
  });

  it.each([{ oauthClientId: "c-2" }, { tenantId: "t-2" }])("not for another client: %j", (other) => {
    expect(approve().redeem({}, start, {}, { ...actor, ...other })).toEqual({ outcome: invalid, writes: [] });
  });

  it("within a minute, without a redirect URI as in OAuth 2.1, and for the scopes that may be granted now", () => {
    expect(approve().redeem({}, start + minute).outcome).toEqual(invalid);
    const client = { ...oauthClient, allowedOperations: ["op-b"] };
    const { outcome } = approve().redeem({ redirectUri: undefined }, start + minute - 1, { oauthClient: client });
    expect(outcome).toMatchObject({ ok: true, grant: { scopes: ["b"] } });
  });
});

describe("an authorization code that was used (RFC 9700 section 2.1.1)", () => {
  it.each([true, false])("gives its redeemer the same answer for a minute; with a refresh token: %s", (refreshable) => {
    const code = approve({ refreshable });
    const first = code.redeem();
    const retry = code.redeem({ accessTokenId: "a-2", brokerTokenId: "b-2" }, start + minute - 1);
    expect(retry).toEqual({ outcome: first.outcome, writes: [] });
  });

  it.each<[string, Partial<RedeemCodeInput>, number, Partial<RecordsSnapshot>, Partial<Actor>]>([
    ["without what identifies the retry", { retryKeyHash: undefined }, 0, {}, {}],
    ["by somebody else", { retryKeyHash: "retry-2" }, 0, {}, {}],
    ["a minute later", {}, minute, {}, {}],
    ["by another client", {}, 0, {}, { oauthClientId: "c-2" }],
    ["by another tenant", {}, 0, {}, { tenantId: "t-2" }],
    ["with a wrong code verifier", { codeChallenge: "other" }, 0, {}, {}],
    ["for another resource", { resource: "https://other.example" }, 0, {}, {}],
    ["when the person is inactive", {}, 0, { ownerActive: false }, {}],
    ["when a scope may not be granted any more", {}, 0, { oauthClient: undefined }, {}],
  ])("revokes what it gave if it is used again %s, with an audit record of each", (_, more, later, given, by) => {
    const code = approve();
    code.redeem();
    const { outcome, writes } = code.redeem(more, start + later, given, { ...actor, ...by });
    expect(outcome).toEqual(reused);
    expect(new Set(revocationsIn(writes))).toEqual(new Set(["g-1"]));
    const why = "revoked: authorization code used again";
    expect(auditIn(writes)).toEqual([`grant:g-1 ${why}`, `refresh-family:g-1 ${why}`]);
    expect(code.redeem().outcome).toEqual(reused);
  });

  it("without its key, revokes what it gave", () => {
    const code = approve({ popKeyId: "key-1" });
    code.redeem({ proofKeyId: "key-1" });
    expect(code.redeem({ proofKeyId: "key-2" }).outcome).toEqual(reused);
  });

  it("by its redeemer, once its refresh token was used: the answer is known to have arrived", () => {
    const code = approve();
    code.redeem();
    code.refresh(start + 1000);
    const { outcome, writes } = code.redeem({}, start + 2000);
    expect(outcome).toEqual(reused);
    expect(new Set(revocationsIn(writes))).toEqual(new Set(["g-1", "g-2.g-1.2"]));
  });

  it("without a refresh token, revokes its grant", () => {
    const code = approve({ refreshable: false });
    code.redeem();
    const { writes } = code.redeem({ retryKeyHash: "retry-2" });
    expect(revocationsIn(writes)).toEqual(["g-1"]);
    expect(auditIn(writes)).toEqual(["grant:g-1 revoked: authorization code used again"]);
  });

  it("changes nothing when its family has ended", () => {
    const code = approve();
    code.redeem();
    code.revoke(start + 1000);
    expect(code.redeem({ retryKeyHash: "retry-2" }, start + 2000)).toEqual({ outcome: reused, writes: [] });
  });
});
