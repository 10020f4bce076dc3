import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Grant } from "../../domain/grant.js";
import { openRefreshFamily } from "../../domain/open-refresh-family.js";
import { recordTokenUse } from "../../domain/record-token-use.js";
import { generationOfGrant, refreshFamilies } from "../../domain/refresh-family.js";
import { type RotateOutcome, rotateRefreshToken } from "../../domain/rotate-refresh-token.js";
import type { Storage } from "../../ports/storage.js";
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

type Step =
  | {
      readonly do: "refresh";
      readonly by: Party;
      /** The generation of the refresh token that is sent. */
      readonly token: number;
      /** The number of calls that are made at the same time. Default: 1. */
      readonly calls?: number;
      /** Whether the answer does not arrive. Default: false. */
      readonly lost?: boolean;
    }
  /** Calls the API with the newest access token of a generation, and records its use. */
  | { readonly do: "call"; readonly by: Party; readonly token: number }
  | { readonly do: "wait"; readonly ms: number };

const refresh = (by: Party, token: number): Step => ({ do: "refresh", by, token });
const lostRefresh = (by: Party, token: number): Step => ({ do: "refresh", by, token, lost: true });
const call = (by: Party, token: number): Step => ({ do: "call", by, token });
const wait = (ms: number): Step => ({ do: "wait", ms });

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
    /** Does a step of a table. Returns what it led to. */
    async run(step: Step): Promise<string> {
      switch (step.do) {
        case "wait":
          clock.advance(step.ms);
          return "waited";
        case "call":
          return (await this.call(step.token)) ? "accepted" : "rejected";
        case "refresh": {
          const { length } = issued;
          const outcome = await this.refresh(step.by, step.token, step.calls);
          if (!outcome.ok) return outcome.reason;
          return `token ${outcome.generation}, ${issued.length === length ? "same" : "new"} access token`;
        }
      }
    },
  };
}

const stolen = "REFRESH_TOKEN_REUSED";
const keyRequired = "PROOF_KEY_REQUIRED";
const same = "token 2, same access token";

/** That the theft is found, or what the last step leads to, without and with a key. The thief has the first refresh token, and never the key. */
const orders: readonly (readonly [order: string, steps: readonly Step[], withoutKey: string, withKey: string])[] = [
  ["repeated at once", [lostRefresh("client", 1), refresh("client", 1)], same, same],
  ["repeated after 65 s", [lostRefresh("client", 1), wait(65 * second), refresh("client", 1)], same, same],
  [
    "repeated after a week, in which the access token has expired",
    [lostRefresh("client", 1), wait(7 * day), refresh("client", 1)],
    "token 2, new access token",
    "token 2, new access token",
  ],
  [
    "lost again and again",
    [lostRefresh("client", 1), wait(65 * second), lostRefresh("client", 1), wait(65 * second), refresh("client", 1)],
    same,
    same,
  ],
  [
    "repeated after a call with the access token from before",
    [lostRefresh("client", 1), call("client", 1), refresh("client", 1)],
    same,
    same,
  ],
  [
    "of the successor, lost as well",
    [refresh("client", 1), call("client", 2), lostRefresh("client", 2), wait(65 * second), refresh("client", 2)],
    "token 3, same access token",
    "token 3, same access token",
  ],
  [
    "repeated after a call with the access token of the successor",
    [refresh("client", 1), call("client", 2), refresh("client", 1)],
    stolen,
    same,
  ],
  [
    "repeated after the use of the successor",
    [refresh("client", 1), refresh("client", 2), refresh("client", 1)],
    stolen,
    stolen,
  ],
  [
    "repeated after a call with an access token that a repetition returned",
    [
      lostRefresh("client", 1),
      wait(day),
      refresh("client", 1),
      call("client", 2),
      wait(20 * 60 * second),
      refresh("client", 1),
    ],
    stolen,
    "token 2, new access token",
  ],
  ["asked for by a thief, before anybody uses a new token", [refresh("client", 1), refresh("thief", 1)], same, stolen],
  [
    "asked for by a thief, after the client has called the API",
    [refresh("client", 1), call("client", 2), refresh("thief", 1)],
    stolen,
    stolen,
  ],
  [
    "asked for by a thief first: the client is given the same tokens",
    [refresh("thief", 1), refresh("client", 1)],
    same,
    "token 2, new access token",
  ],
  [
    "asked for by a thief who then calls the API: found when the client refreshes",
    [refresh("thief", 1), call("thief", 2), refresh("client", 1)],
    stolen,
    "token 2, new access token",
  ],
  [
    "asked for by a thief who then refreshes again: found when the client refreshes",
    [refresh("thief", 1), refresh("thief", 2), refresh("client", 1)],
    stolen,
    "token 2, new access token",
  ],
  [
    "asked for by a thief at the pace of the client: found when the client has called the API",
    [refresh("client", 1), refresh("thief", 1), refresh("client", 2), call("client", 3), refresh("thief", 2)],
    stolen,
    stolen,
  ],
  [
    "asked for by a thief ahead of the client: found when the thief has called the API",
    [refresh("thief", 1), refresh("client", 1), refresh("thief", 2), call("thief", 3), refresh("client", 2)],
    stolen,
    "token 3, new access token",
  ],
  [
    "asked for with the current token and without the key",
    [refresh("thief", 1)],
    "token 2, new access token",
    keyRequired,
  ],
];

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
    it.each(orders)("an answer %s", async (_, steps, withoutKey, withKey) => {
      const { storage, clock } = await open();
      for (const bound of [false, true]) {
        const familyId = bound ? "with-key" : "without-key";
        const expected = bound ? withKey : withoutKey;
        const family = await openFamily(storage, clock, familyId, bound);
        const results: string[] = [];
        for (const step of steps) results.push(await family.run(step));
        expect(results.find((each) => each === stolen) ?? results.at(-1), familyId).toBe(expected);
        const { rows } = await storage.listAudit({ tenantId, before: undefined, limit: 100 });
        const found = rows.filter(({ subject }) => subject === `refresh-family:${familyId}`).map(({ event }) => event);
        if (expected !== stolen) expect(found).toEqual(["opened"]);
        else {
          expect(found).toEqual(["revoked: replaced refresh token used again", "opened"]);
          await family.expectEnded(4);
        }
      }
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
