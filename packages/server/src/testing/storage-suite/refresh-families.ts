import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Grant } from "../../domain/grant.js";
import { openRefreshFamily } from "../../domain/open-refresh-family.js";
import { recordTokenUse } from "../../domain/record-token-use.js";
import { generationOfGrant, refreshFamilies } from "../../domain/refresh-family.js";
import { type RotateOutcome, rotateRefreshToken } from "../../domain/rotate-refresh-token.js";
import type { Storage } from "../../ports/storage.js";
import { rotateRefreshTokenCases } from "../cases/rotate-refresh-token.js";
import { runFamilyCase } from "../cases/run-family-cases.js";
import type { FakeClock } from "../fake-clock.js";
import { withoutCodeGrant } from "../without-code-grant.js";
import { actor, oauthClientId, principalId, tenantId } from "./fixture.js";
import type { Harness } from "./harness.js";
import { commitWrites } from "./rules.js";

const second = 1000;
const day = 24 * 60 * 60 * second;
const scope = "vault.items:delete";
const popKeyId = "thumbprint";

type Party = "client" | "thief";

/** Opens a refresh family. With a key, only the client can prove that it has the key. */
async function openFamily(storage: Storage, clock: FakeClock, familyId: string, withKey: boolean) {
  const boundTo = withKey ? popKeyId : "";
  const subject = { tenantId, principalId, oauthClientId, scopes: [scope], keyId: "key-1", popKeyId: boundTo };
  const issuedAt = Math.floor(clock.now() / second);
  const first: Grant = {
    ...subject,
    grantId: familyId,
    accessTokenId: `access-${familyId}`,
    brokerTokenId: "",
    issuedAt,
    expiresAt: issuedAt + 900,
  };
  await storage.transact(
    { kind: "nothing" },
    commitWrites([{ kind: "grant", grant: first }, ...openRefreshFamily(first, actor, clock.now())]),
  );
  const ref = { kind: "record", collection: refreshFamilies, key: familyId } as const;
  const issued: Grant[] = [first];
  let drawn = 0;

  const isRevoked = async ({ grantId, accessTokenId: tokenId }: Grant) =>
    (await storage.readAccess({ tenantId, principalId, oauthClientId, tokenId, grantId })).revoked;

  async function send(by: Party, generation: number): Promise<RotateOutcome> {
    drawn += 1;
    const input = {
      grantId: `grant-${drawn}`,
      accessTokenId: `access-${familyId}-${drawn}`,
      brokerTokenId: "",
      keyId: "key-1",
      requiredScopes: new Map([["suite", [scope]]]),
      generation,
      proofKeyId: by === "client" ? boundTo : "",
      scopes: undefined,
    };
    const { outcome } = await storage.transact(ref, rotateRefreshToken(input, actor, clock.now()));
    return outcome;
  }

  return {
    /** Every grant that was issued, the oldest first. */
    issued,
    /** Sends a refresh token, `calls` times at once. Returns the only outcome of all of them. */
    async refresh(by: Party, generation: number, calls = 1): Promise<RotateOutcome> {
      const outcomes = await Promise.all(Array.from({ length: calls }, () => send(by, generation)));
      const [outcome = expect.unreachable()] = outcomes;
      for (const other of outcomes.slice(1)) {
        // After the first call has revoked the family, the others find none.
        const reason = outcome.ok || outcome.reason !== "REFRESH_TOKEN_REUSED" ? undefined : "REFRESH_TOKEN_INVALID";
        expect(other).toEqual(reason === undefined ? outcome : { ok: false, reason });
      }
      if (outcome.ok && !issued.some(({ grantId }) => grantId === outcome.grant.grantId)) issued.push(outcome.grant);
      return outcome;
    },
    /** Uses the newest access token of a generation, and records the use. Returns whether the token was accepted. */
    async call(generation: number): Promise<boolean> {
      const grant = issued.findLast(({ grantId }) => (generationOfGrant(grantId)?.generation ?? 1) === generation);
      if (grant === undefined || clock.now() >= grant.expiresAt * second || (await isRevoked(grant))) return false;
      const issuedWith = generationOfGrant(grant.grantId);
      if (issuedWith !== undefined) {
        await storage.transact(ref, recordTokenUse(issuedWith.generation, tenantId, clock.now()));
      }
      return true;
    },
    /** Expects that the family has ended: no refresh token and no access token works. */
    async expectEnded(generations: number): Promise<void> {
      const valid = issued.filter(({ expiresAt }) => clock.now() < expiresAt * second);
      expect(await Promise.all(valid.map(isRevoked))).toEqual(valid.map(() => true));
      for (let generation = 1; generation <= generations; generation += 1) {
        expect(await send("client", generation)).toEqual({ ok: false, reason: "REFRESH_TOKEN_INVALID" });
      }
    },
  };
}

const stolen = "REFRESH_TOKEN_REUSED";
const keyRequired = "PROOF_KEY_REQUIRED";

export function describeRefreshFamilies(harness: Harness): void {
  const open = async () => {
    const { storage, clock } = await harness.open();
    const oauthClient = {
      tenantId,
      oauthClientId,
      name: "Agent",
      allowedOperations: ["suite"],
      ...withoutCodeGrant,
      enabled: true,
    };
    await storage.transact(
      { kind: "nothing" },
      commitWrites([
        { kind: "oauthClient", oauthClient: { ...oauthClient, registeredAt: 1, registeredBy: "admin-1" } },
        { kind: "principal", principal: { tenantId, principalId, active: true } },
      ]),
    );
    return { storage, clock };
  };

  describe("refresh families: a lost answer is not a theft (DECISIONS section 9)", () => {
    it("every case of a refresh and a revocation", async () => {
      const { storage, clock } = await open();
      const failures: string[] = [];
      for (const each of rotateRefreshTokenCases) {
        await runFamilyCase(storage, clock, each).catch(({ message }: Error) =>
          failures.push(`${each.title}: ${message}`),
        );
      }
      expect(failures).toEqual([]);
    });

    it("an honest client alone never loses its session before its 30 days are over, whatever answers it loses", async () => {
      const { storage, clock } = await open();
      let families = 0;
      const attempt = fc.record({
        do: fc.constant("refresh" as const),
        lost: fc.boolean(),
        calls: fc.constantFrom(1, 1, 1, 3),
      });
      const step = fc.oneof(
        attempt,
        fc.constant({ do: "call" as const }),
        fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 61 * second, 16 * 60 * second, 7 * day) }),
      );
      const property = fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 30 }), async (withKey, steps) => {
        families += 1;
        const family = await openFamily(storage, clock, `honest-${families}`, withKey);
        const endsAt = clock.now() + 30 * day;
        let token = 1;
        for (const step of steps) {
          if (step.do === "wait") clock.advance(step.ms);
          // Only the access token that it has received: after a lost answer, that of the generation before.
          if (step.do === "call") await family.call(token);
          if (step.do === "refresh") {
            const outcome = await family.refresh("client", token, step.calls);
            if (clock.now() >= endsAt) expect(outcome).toEqual({ ok: false, reason: "REFRESH_TOKEN_INVALID" });
            else expect(outcome).toMatchObject({ ok: true, generation: token + 1 });
            if (outcome.ok && !step.lost) token = outcome.generation;
          }
        }
      });
      await fc.assert(property, { numRuns: 40 });
    });

    it("no token works after a client and a thief have used different branches, in any order of events", async () => {
      const { storage, clock } = await open();
      const reached = new Map<string, number>();
      let families = 0;
      const step = fc.record({
        do: fc.constantFrom("refresh", "refresh", "refresh", "call", "steal", "wait"),
        by: fc.constantFrom<Party>("client", "thief"),
        /** Which of the tokens that the party has: 0 is the newest. */
        age: fc.constantFrom(0, 0, 0, 1),
        lost: fc.constantFrom(false, false, false, true),
      });
      const histories = fc.array(step, { minLength: 5, maxLength: 25 });
      const property = fc.asyncProperty(fc.boolean(), histories, async (withKey, steps) => {
        families += 1;
        const family = await openFamily(storage, clock, `stolen-${families}`, withKey);
        const known = { client: [1], thief: [1] };
        let current = 1;
        /** The newest generation that was used: its refresh token, or without a key an access token. */
        let used = 0;
        for (const { do: verb, by, age, lost } of steps) {
          const token = known[by].at(-1 - age) ?? 1;
          if (verb === "wait") clock.advance(65 * second);
          if (verb === "steal") known.thief = [...known.client];
          if (verb === "call" && (await family.call(token)) && !withKey) used = Math.max(used, token);
          if (verb !== "refresh") continue;
          const proved = !withKey || by === "client";
          const replaced = token < current;
          const expected = replaced && (!proved || token < used) ? stolen : proved ? "ok" : keyRequired;
          const outcome = await family.refresh(by, token);
          reached.set(expected, (reached.get(expected) ?? 0) + 1);
          expect(outcome.ok ? "ok" : outcome.reason).toBe(expected);
          if (expected === stolen) return await family.expectEnded(current + 1);
          if (!outcome.ok) continue;
          expect(outcome.generation).toBe(token + 1);
          current = outcome.generation;
          used = Math.max(used, token);
          if (!lost && !known[by].includes(current)) known[by].push(current);
        }
      });
      await fc.assert(property, { numRuns: 60 });
      // Guards against a property that passes because it never reaches these results.
      for (const result of ["ok", stolen, keyRequired]) expect(reached.get(result), result).toBeGreaterThan(3);
    });
  });
}
