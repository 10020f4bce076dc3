import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { authorizationCodes, newAuthorizationCode, recordOfCode } from "../../domain/authorization-code.js";
import type { Grant } from "../../domain/grant.js";
import { putRecords } from "../../domain/put-record.js";
import {
  type RedeemCodeInput,
  type RedeemCodeOutcome,
  redeemAuthorizationCode,
} from "../../domain/redeem-authorization-code.js";
import { refreshFamilies } from "../../domain/refresh-family.js";
import { rotateRefreshToken } from "../../domain/rotate-refresh-token.js";
import type { Storage } from "../../ports/storage.js";
import type { FakeClock } from "../fake-clock.js";
import { withoutCodeGrant } from "../without-code-grant.js";
import { actor, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { commitWrites } from "./rules.js";

const scope = "vault.items:delete";
const oauthClient = {
  tenantId,
  oauthClientId,
  name: "Agent",
  allowedOperations: ["suite"],
  ...withoutCodeGrant,
  enabled: true,
};
const requiredScopes = new Map([["suite", [scope]]]);
const approved = {
  tenantId,
  principalId,
  oauthClientId,
  scopes: [scope],
  redirectUri: "http://127.0.0.1/callback",
  codeChallenge: "challenge",
  resource: "urn:suite:api",
  popKeyId: "",
  refreshable: true,
};
/** What the client sends that asked for the code. */
const honest = {
  redirectUri: approved.redirectUri,
  codeChallenge: approved.codeChallenge,
  resource: approved.resource,
  proofKeyId: "",
  retryKeyHash: "retry-1",
};

type Changes = Partial<typeof approved>;
type Sent = Partial<Omit<RedeemCodeInput, "grantId">> & { readonly by?: string };

/** Issues a code, and returns what can happen to it. */
async function issueCode(storage: Storage, clock: FakeClock, name: string, changes: Changes = {}) {
  const [codeHash, grantId] = [`hash-${name}`, `grant-${name}`];
  const record = recordOfCode(newAuthorizationCode({ ...approved, ...changes }, { codeHash, grantId }, clock.now()));
  const key = { collection: authorizationCodes, key: codeHash };
  const issue = putRecords([{ record, expectedRevision: 0 }], {}, actor, clock.now());
  expect((await storage.transact({ kind: "records", keys: [key] }, issue)).outcome).toEqual({ ok: true });
  const family = { collection: refreshFamilies, key: grantId };
  let drawn = 0;
  return {
    async redeem({ by = oauthClientId, ...sent }: Sent = {}): Promise<RedeemCodeOutcome> {
      drawn += 1;
      const ids = { grantId, accessTokenId: `access-${name}-${drawn}`, brokerTokenId: "", keyId: "key-1" };
      const input = { ...ids, requiredScopes, ...honest, ...sent };
      const rule = redeemAuthorizationCode(input, { ...actor, oauthClientId: by }, clock.now());
      return (await storage.transact({ kind: "records", keys: [key, family] }, rule)).outcome;
    },
    async isRevoked({ accessTokenId: tokenId }: Grant): Promise<boolean> {
      return (await storage.readAccess({ tenantId, principalId, oauthClientId, tokenId, grantId })).revoked;
    },
    /** Refreshes with the first refresh token. */
    async refresh() {
      const ids = { grantId: `${grantId}-next`, accessTokenId: `next-${name}`, brokerTokenId: "", keyId: "key-1" };
      const input = { ...ids, requiredScopes, generation: 1, proofKeyId: "", scopes: undefined };
      return (await storage.transact({ kind: "record", ...family }, rotateRefreshToken(input, actor, clock.now())))
        .outcome;
    },
    /** Returns the events of the grant and its family in the audit trail, the oldest first. */
    async events(): Promise<string[]> {
      const { rows } = await storage.listAudit({ tenantId, before: undefined, limit: 100 });
      const subjects = [`grant:${grantId}`, `refresh-family:${grantId}`];
      return rows
        .filter(({ subject }) => subjects.includes(subject))
        .map(({ event }) => event)
        .reverse();
    },
  };
}

const revokedEvent = "revoked: authorization code used again";
const invalid = { ok: false, reason: "CODE_INVALID" } as const;
const reused = { ok: false, reason: "CODE_REUSED" } as const;

/** Requests that do not fit a code, and their outcome. */
const unfit: readonly (readonly [title: string, sent: Sent, changes: Changes, outcome: RedeemCodeOutcome])[] = [
  ["another OAuth client", { by: "agent-2" }, {}, invalid],
  ["another code verifier (RFC 7636 section 4.6)", { codeChallenge: "other" }, {}, invalid],
  ["another redirect URI", { redirectUri: "http://127.0.0.1/other" }, {}, invalid],
  [
    "another resource (RFC 8707 section 2.2)",
    { resource: "urn:suite:other" },
    {},
    { ok: false, reason: "RESOURCE_NOT_APPROVED" },
  ],
  [
    "no proof of the key of the code (RFC 9449 section 10)",
    {},
    { popKeyId: "thumbprint" },
    { ok: false, reason: "PROOF_KEY_REQUIRED" },
  ],
];

export function describeAuthorizationCodes(harness: Harness): void {
  const open = async () => {
    const { storage, clock } = await harness.open();
    await storage.transact(
      { kind: "nothing" },
      commitWrites([
        { kind: "oauthClient", oauthClient: { ...oauthClient, registeredAt: 1, registeredBy: "admin-1" } },
        { kind: "principal", principal: { tenantId, principalId, active: true } },
      ]),
    );
    return { storage, clock };
  };

  describe("authorization codes (RFC 6749 section 4.1, RFC 9700 section 4.5)", () => {
    it("a code gives one grant and its refresh family in one commit", async () => {
      const { storage, clock } = await open();
      const code = await issueCode(storage, clock, "a");
      const outcome = await code.redeem();
      expect(outcome).toMatchObject({ ok: true, refreshable: true, grant: { scopes: [scope], principalId } });
      expect(await code.events()).toEqual(["granted", "opened"]);
      expect(outcome.ok && (await code.isRevoked(outcome.grant))).toBe(false);
      expect(await code.refresh()).toMatchObject({ ok: true, generation: 2 });
    });

    it("a code without a refresh token gives a grant alone", async () => {
      const { storage, clock } = await open();
      const code = await issueCode(storage, clock, "a", { refreshable: false });
      expect(await code.redeem()).toMatchObject({ ok: true, refreshable: false });
      expect(await code.redeem()).toMatchObject({ ok: true, refreshable: false });
      expect(await code.refresh()).toEqual({ ok: false, reason: "REFRESH_TOKEN_INVALID" });
      expect(await code.redeem({ retryKeyHash: undefined })).toEqual(reused);
      expect(await code.events()).toEqual(["granted", revokedEvent]);
    });

    it.each(unfit)(
      "a request with %s gets nothing, and does not use the code up",
      async (_, sent, changes, outcome) => {
        const { storage, clock } = await open();
        const code = await issueCode(storage, clock, "a", changes);
        expect(await code.redeem(sent)).toEqual(outcome);
        expect(await code.redeem({ proofKeyId: changes.popKeyId ?? "" })).toMatchObject({ ok: true });
      },
    );

    it("a code expires after 60 s", async () => {
      const { storage, clock } = await open();
      const [first, second] = [await issueCode(storage, clock, "a"), await issueCode(storage, clock, "b")];
      clock.advance(59_999);
      expect(await first.redeem()).toMatchObject({ ok: true });
      clock.advance(1);
      expect(await second.redeem()).toEqual(invalid);
    });

    it.each<[title: string, sent: Sent]>([
      ["without what identifies a retry", { retryKeyHash: undefined }],
      ["with another Idempotency-Key or proved key", { retryKeyHash: "retry-2" }],
      ["with another code verifier", { codeChallenge: "other" }],
      ["by another OAuth client", { by: "agent-2" }],
    ])("a second use %s revokes what the first gave, and is audited", async (_, sent) => {
      const { storage, clock } = await open();
      const code = await issueCode(storage, clock, "a");
      const first = await code.redeem();
      expect(await code.redeem(sent)).toEqual(reused);
      expect(first.ok && (await code.isRevoked(first.grant))).toBe(true);
      expect(await code.refresh()).toEqual({ ok: false, reason: "REFRESH_TOKEN_INVALID" });
      expect(await code.events()).toEqual(["granted", "opened", revokedEvent, revokedEvent]);
    });

    it("a retry gets the same grant for 60 s, unless its refresh token was used", async () => {
      const { storage, clock } = await open();
      const code = await issueCode(storage, clock, "a");
      const first = await code.redeem();
      clock.advance(59_999);
      expect(await code.redeem()).toEqual(first);
      clock.advance(1);
      expect(await code.redeem()).toEqual(reused);
      const other = await issueCode(storage, clock, "b");
      await other.redeem();
      await other.refresh();
      expect(await other.redeem()).toEqual(reused);
    });

    it("nothing is granted for an inactive principal, or without an operation of the OAuth client", async () => {
      const { storage, clock } = await open();
      const code = await issueCode(storage, clock, "a");
      const set = (active: boolean, allowedOperations: readonly string[]) =>
        storage.transact(
          { kind: "nothing" },
          commitWrites([
            { kind: "principal", principal: { tenantId, principalId, active } },
            {
              kind: "oauthClient",
              oauthClient: { ...oauthClient, allowedOperations, registeredAt: 1, registeredBy: "admin-1" },
            },
          ]),
        );
      await set(false, ["suite"]);
      expect(await code.redeem()).toEqual({ ok: false, reason: "PRINCIPAL_DISABLED" });
      await set(true, []);
      expect(await code.redeem()).toEqual({ ok: false, reason: "SCOPES_NOT_GRANTED" });
      await set(true, ["suite"]);
      expect(await code.redeem()).toMatchObject({ ok: true });
    });

    it("20 redemptions at the same moment give one grant", async () => {
      const { storage, clock } = await open();
      const code = await issueCode(storage, clock, "a");
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => code.redeem()));
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
      expect(outcomes[0]).toMatchObject({ ok: true });
      const other = await issueCode(storage, clock, "b");
      const race = await Promise.all(Array.from({ length: 20 }, () => other.redeem({ retryKeyHash: undefined })));
      expect(race.filter(({ ok }) => ok)).toHaveLength(1);
      expect(await other.events()).toEqual(expect.arrayContaining(["granted", "opened", revokedEvent]));
    });

    it("whatever client and thief send in any order, a code gives one grant, which ends with the first second use", async () => {
      const { storage, clock } = await open();
      let codes = 0;
      const step = fc.oneof(
        fc.constant({ do: "redeem", sent: {} } as const),
        fc.record({
          do: fc.constant("redeem" as const),
          sent: fc.record({
            by: fc.constantFrom(oauthClientId, "agent-2"),
            codeChallenge: fc.constantFrom("challenge", "other"),
            retryKeyHash: fc.constantFrom("retry-1", "retry-2", undefined),
          }),
        }),
        fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1_000, 61_000) }),
      );
      const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        codes += 1;
        const code = await issueCode(storage, clock, `any-${codes}`);
        const issuedAt = clock.now();
        let first: { readonly grant: Grant; readonly at: number; readonly retry: string | undefined } | undefined;
        let ended = false;
        for (const step of steps) {
          if (step.do === "wait") {
            clock.advance(step.ms);
            continue;
          }
          const { sent }: { readonly sent: Sent } = step;
          const { by = oauthClientId, codeChallenge = "challenge" } = sent;
          const retryKeyHash = "retryKeyHash" in sent ? sent.retryKeyHash : honest.retryKeyHash;
          const fits = by === oauthClientId && codeChallenge === "challenge";
          const outcome = await code.redeem({ ...sent, retryKeyHash });
          if (first === undefined) {
            const expected = fits && clock.now() < issuedAt + 60_000;
            expect(outcome.ok).toBe(expected);
            if (outcome.ok) first = { grant: outcome.grant, at: clock.now(), retry: retryKeyHash };
          } else {
            const isRetry =
              first.retry !== undefined && retryKeyHash === first.retry && clock.now() < first.at + 60_000;
            if (!ended && fits && isRetry) expect(outcome).toMatchObject({ ok: true, grant: first.grant });
            else expect(outcome).toEqual(reused);
            ended ||= !(fits && isRetry);
          }
          if (first !== undefined) expect(await code.isRevoked(first.grant)).toBe(ended);
        }
      });
      await fc.assert(property, { numRuns: 60 });
    });
  });
}
