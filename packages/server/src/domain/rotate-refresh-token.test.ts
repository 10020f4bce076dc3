import { describe, expect, it } from "vitest";
import { grantOf, oauthClientOf } from "../testing/access-values.js";
import { caseCaller as actor } from "../testing/cases/storage-driver.js";
import { storedRecords } from "../testing/stored-records.js";
import { oauthClients, principals } from "./model/access.js";
import type { AuditRecord } from "./model/actor.js";
import type { Write } from "./model/decision.js";
import { type Grant, revokeGrant } from "./model/grant.js";
import { generationOfGrant, grantIdOf, refreshFamilies, refreshFamilyLife } from "./model/refresh-family.js";
import { openRefreshFamily } from "./open-refresh-family.js";
import { decideRecordTokenUse } from "./record-token-use.js";
import { decideRotation, type RotateInput } from "./rotate-refresh-token.js";

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const requiredScopes = new Map([
  ["op-a", ["a"]],
  ["op-b", ["b"]],
]);
const oauthClient = oauthClientOf({ allowedOperations: ["op-a", "op-b"] });
const grant = grantOf({ scopes: ["a", "b"], issuedAt: start / 1000, expiresAt: start / 1000 + 900 });

// What a table of calls cannot see: what is written, and how often.

/** A storage of one family, to which decisions are applied. */
function openFamily(changes: Partial<Grant> = {}, resource?: string) {
  const stored: Write[] = [
    principals.create({ tenantId: "t-1", principalId: "p-1", active: true }, start),
    oauthClients.create(oauthClient, start),
  ];
  let ids = 1;
  const audited: AuditRecord[] = [];
  const apply = (writes: readonly Write[]) => {
    stored.push(...writes);
    for (const write of writes) {
      if (write.kind === "audit") audited.push(write.record);
    }
  };
  const snapshot = () => storedRecords(...stored);
  apply(openRefreshFamily({ ...grant, ...changes }, actor, start, resource));
  return {
    audited,
    family: () => refreshFamilies.find(snapshot(), "t-1", "g-1"),
    rotate(generation: number, now: number, input: Partial<RotateInput> = {}) {
      ids += 1;
      const asked = { grantId: `g-${ids}`, accessTokenId: `a-${ids}`, brokerTokenId: `b-${ids}`, keyId: "k-1" };
      const whole = {
        ...asked,
        familyId: "g-1",
        generation,
        proofKeyId: "",
        scopes: undefined,
        requiredScopes,
        ...input,
      };
      const { outcome, writes } = decideRotation(snapshot(), whole, actor, now);
      apply(writes);
      return outcome;
    },
    /** Revokes the newest access token alone (RFC 7009). */
    revokeNewest(now: number) {
      const newest = refreshFamilies.find(snapshot(), "t-1", "g-1")?.newestGrant ?? expect.unreachable();
      apply(revokeGrant(snapshot(), newest, now));
    },
    /** Records that an access token of a generation is in use. Returns the number of writes. */
    use(generation: number, now: number, tenantId = actor.tenantId) {
      const { writes } = decideRecordTokenUse(snapshot(), { familyId: "g-1", generation }, tenantId, now);
      apply(writes);
      return writes.length;
    },
  };
}

describe("the use of an access token (DECISIONS section 9)", () => {
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

describe("the life of a family", () => {
  it("a repeated answer never contains an access token that was revoked", () => {
    const family = openFamily();
    family.rotate(1, start);
    family.revokeNewest(start);
    expect(family.rotate(1, start)).toMatchObject({ ok: true, generation: 2, grant: { grantId: "g-3.g-1.2" } });
  });

  it("expired access tokens are forgotten", () => {
    const family = openFamily();
    family.rotate(1, start + 15 * minute);
    expect(family.family()?.liveGrants.map(({ grantId }) => grantId)).toEqual(["g-2.g-1.2"]);
  });
});

describe("what a rotation writes (DECISIONS sections 8 and 9)", () => {
  it("a rotation is audited with the generations before and after, and is not written again for a retry", () => {
    const family = openFamily();
    family.rotate(1, start + minute);
    expect(family.audited).toMatchObject([
      { subject: "refresh-family:g-1", event: "opened", versionBefore: 0, versionAfter: 1 },
      {
        subjectTenantId: "t-1",
        subject: "grant:g-2.g-1.2",
        event: "granted by refresh-family:g-1",
        versionBefore: 1,
        versionAfter: 2,
      },
    ]);
    // A retry that needs other tokens leaves the time of the rotation as it was.
    family.rotate(1, start + 2 * minute, { scopes: ["a"] });
    expect(family.family()?.rotatedAt).toBe(start + minute);
  });

  it.each([
    { resource: "r-1", asked: undefined, ok: true },
    { resource: "r-1", asked: "r-1", ok: true },
    { resource: "r-1", asked: "r-2", ok: false },
    { resource: undefined, asked: "r-2", ok: true },
    { resource: undefined, asked: "r-2", resourceByName: true, ok: false },
    { resource: "r-2", asked: "r-2", resourceByName: true, ok: true },
  ])(
    "RFC 8707: a family for $resource, asked for $asked, by name $resourceByName: $ok",
    ({ resource, ok, ...sent }) => {
      const { asked, resourceByName } = sent;
      const outcome = openFamily({}, resource).rotate(1, start, { resource: asked, resourceByName });
      expect(outcome).toMatchObject(ok ? { ok, generation: 2 } : { ok, reason: "RESOURCE_NOT_APPROVED" });
    },
  );
});
