import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import type { Actor } from "./actor.js";
import type { Decision, Write } from "./decision.js";
import type { Grant } from "./grant.js";
import { openRefreshFamily } from "./open-refresh-family.js";
import type { StoredRecord } from "./record.js";
import { decideRecordTokenUse } from "./record-token-use.js";
import { decideRevokeRefreshFamily, type RevokedBy } from "./revoke-refresh-family.js";
import { decideRotation } from "./rotate-refresh-token.js";

const start = 1_700_000_000_000;
const day = 24 * 60 * 60 * 1000;
const approvedScopes = ["a", "b"];

const actorOf = (oauthClientId: string, principalId = ""): Actor => ({
  tenantId: "t-1",
  principalId,
  oauthClientId,
  tokenId: "",
  operation: "any",
  requestId: "r-1",
});

/** The settings that an administrator may change at any time. */
interface Policy {
  readonly active: boolean;
  readonly enabled: boolean;
  /** The scopes of the operations that the OAuth client may call. */
  readonly open: readonly string[];
}

interface Refresh {
  readonly do: "refresh";
  /** 0: the newest refresh token, 1: the one before it, and so on. */
  readonly age: number;
  readonly by: string;
  readonly key: string;
  readonly scopes: readonly string[] | undefined;
  /** The number of calls that are made at the same time. */
  readonly calls: number;
}

type Step =
  | { readonly do: "wait"; readonly ms: number }
  | Refresh
  /** An access token of a generation is used, and that is recorded. */
  | { readonly do: "use"; readonly age: number }
  | { readonly do: "revoke"; readonly by: RevokedBy; readonly actor: Actor }
  | { readonly do: "policy"; readonly policy: Policy };

const refresh: fc.Arbitrary<Refresh> = fc.record({
  do: fc.constant("refresh"),
  age: fc.constantFrom(0, 0, 0, 0, 1, 1, 1, 2, 5),
  by: fc.constantFrom(...Array<string>(40).fill("c-1"), "c-2"),
  key: fc.constantFrom("", "key-1", "key-1", "key-1", "key-2"),
  scopes: fc.constantFrom(undefined, undefined, undefined, ["a"], ["b", "a"], ["c"]),
  calls: fc.constantFrom(1, 1, 1, 3),
});
/** A refresh by the OAuth client of the family, for all scopes. */
const plain: Refresh = { do: "refresh", age: 0, by: "c-1", key: "", scopes: undefined, calls: 1 };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: refresh },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.constantFrom(1, 1, 59_999, 60_000, 900_000, 6 * day) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("use"), age: fc.constantFrom(0, 0, 0, 1) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("revoke"),
      by: fc.constantFrom("its OAuth client", "its principal"),
      actor: fc.constantFrom(actorOf("c-1"), actorOf("c-2"), actorOf("", "p-1"), actorOf("", "p-2")),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("policy"),
      policy: fc.record({
        active: fc.constantFrom(true, true, true, false),
        enabled: fc.constantFrom(true, true, true, false),
        open: fc.constantFrom(["a", "b", "c"], ["a", "b", "c"], ["a"], []),
      }),
    }),
  },
);

/** An independent model of the rules, from the history of events alone. */
function createModel(boundTo: string) {
  /** How many refresh tokens were replaced. */
  let replacements = 0;
  /** The generation whose access tokens were last used. */
  let used = 0;
  let ended = false;
  let policy: Policy = { active: true, enabled: true, open: ["a", "b", "c"] };
  /** The key and the scopes of the newest access token. */
  let newest = [boundTo, ...approvedScopes].join();
  let newestEndsAt = start + 900_000;

  return {
    newestToken: () => replacements + 1,
    newestIssued: () => newest,
    ended: (at: number) => ended || at >= start + 30 * day,
    setPolicy(now: Policy) {
      policy = now;
    },
    use(token: number) {
      used = token;
    },
    revoke(by: RevokedBy, { oauthClientId, principalId }: Actor, at: number): boolean {
      if (this.ended(at)) return true;
      const allowed = { "its OAuth client": oauthClientId === "c-1", "its principal": principalId === "p-1" };
      ended = allowed[by];
      return ended;
    },
    /** Returns the reason of a rejection, or which tokens the caller gets. */
    refresh(token: number, { by, key, scopes = approvedScopes }: Omit<Refresh, "do" | "age" | "calls">, at: number) {
      if (this.ended(at)) return "REFRESH_TOKEN_INVALID";
      const proved = boundTo === "" || boundTo === key;
      const replaced = token <= replacements;
      const inUse = boundTo === "" && used === replacements + 1;
      const lost = proved && token === replacements && !inUse;
      if (by !== "c-1" || (replaced && !lost)) {
        ended = true;
        return "REFRESH_TOKEN_REUSED";
      }
      if (!proved) return "PROOF_KEY_REQUIRED";
      if (!policy.enabled) return "OAUTH_CLIENT_DISABLED";
      if (!policy.active) return "PRINCIPAL_DISABLED";
      const granted = ["a", "b"].filter((scope) => scopes.includes(scope) && policy.open.includes(scope));
      if (scopes.includes("c") || granted.length === 0) return "SCOPES_NOT_GRANTED";
      const issued = [key, ...granted].join();
      if (replaced && issued === newest && at < newestEndsAt) return "the same tokens";
      newest = issued;
      newestEndsAt = Math.min(Math.floor(at / 1000) * 1000 + 900_000, start + 30 * day);
      if (replaced) return "another access token";
      replacements += 1;
      return "new tokens";
    },
  };
}

/** Applies decisions to one family, as a storage does. */
function createStored(boundTo: string) {
  let record: StoredRecord | undefined;
  let policy: Policy = { active: true, enabled: true, open: ["a", "b", "c"] };
  const grants: Grant[] = [];
  const revocations = new Set<string>();
  let drawn = 0;

  const write = (writes: readonly Write[]) => {
    for (const each of writes) {
      if (each.kind === "record") {
        expect(each.record.revision).toBe((record?.revision ?? 0) + 1);
        record = each.record;
      }
      if (each.kind === "grant") grants.push(each.grant);
      if (each.kind === "revocation") revocations.add(each.subjectId);
    }
  };
  const apply = <Outcome>({ outcome, writes }: Decision<Outcome>): Outcome => {
    write(writes);
    return outcome;
  };
  const newIds = () => {
    drawn += 1;
    return { grantId: `g-${drawn}`, accessTokenId: `a-${drawn}`, brokerTokenId: `b-${drawn}`, keyId: "k" };
  };
  const snapshot = () => ({
    record,
    principalActive: policy.active,
    oauthClient: {
      tenantId: "t-1",
      oauthClientId: "c-1",
      name: "C",
      allowedOperations: ["x"],
      ...withoutCodeGrant,
      enabled: policy.enabled,
    },
  });

  const issuedAt = start / 1000;
  const subject = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1", scopes: approvedScopes };
  const first: Grant = { ...newIds(), ...subject, popKeyId: boundTo, issuedAt, expiresAt: issuedAt + 900 };
  write([{ kind: "grant", grant: first }, ...openRefreshFamily(first, actorOf("c-1"), start)]);
  return {
    setPolicy(now: Policy) {
      policy = now;
    },
    /** The grants whose access tokens are accepted. */
    valid: (at: number) => grants.filter((grant) => at < grant.expiresAt * 1000 && !revocations.has(grant.grantId)),
    grants,
    refresh(token: number, { by, key: proofKeyId, scopes }: Refresh, at: number) {
      const requiredScopes = new Map([["x", policy.open]]);
      const input = { ...newIds(), generation: token, proofKeyId, scopes, requiredScopes };
      return apply(decideRotation(snapshot(), input, actorOf(by), at));
    },
    use(token: number, at: number) {
      const { writes } = decideRecordTokenUse(snapshot(), token, "t-1", at);
      write(writes);
    },
    revoke: (by: RevokedBy, actor: Actor, at: number) =>
      apply(decideRevokeRefreshFamily(snapshot(), by, "test", actor, at)).ok,
  };
}

describe("a refresh family over any history of refreshes, reuse, revocations and time (RFC 9700 section 4.14.2)", () => {
  it("matches the model, and no access token is valid after the family has ended", () => {
    const reached = new Map<string, number>();
    const histories = fc.array(step, { minLength: 10, maxLength: 60, size: "max" });
    const property = fc.property(fc.constantFrom("", "key-1"), histories, (boundTo, steps) => {
      const model = createModel(boundTo);
      const stored = createStored(boundTo);
      let now = start;
      for (const step of steps) {
        if (step.do === "wait") now += step.ms;
        if (step.do === "policy") {
          model.setPolicy(step.policy);
          stored.setPolicy(step.policy);
        }
        if (step.do === "use") {
          const token = Math.max(1, model.newestToken() - step.age);
          // The first generation has replaced no token, and one before the current one changes nothing.
          if (step.age === 0 && token > 1) model.use(token);
          stored.use(token, now);
        }
        if (step.do === "revoke") {
          expect(stored.revoke(step.by, step.actor, now)).toBe(model.revoke(step.by, step.actor, now));
        }
        if (step.do === "refresh") {
          const token = Math.max(1, model.newestToken() - step.age);
          for (let call = 0; call < step.calls; call += 1) {
            const expected = model.refresh(token, step, now);
            const before = stored.grants.length;
            const outcome = stored.refresh(token, step, now);
            reached.set(expected, (reached.get(expected) ?? 0) + 1);
            if (!outcome.ok) {
              expect(outcome.reason).toBe(expected);
              continue;
            }
            expect(stored.grants.length - before).toBe(expected === "the same tokens" ? 0 : 1);
            const { grant, generation } = outcome;
            expect(grant).toEqual(stored.grants.at(-1));
            expect(generation).toBe(model.newestToken());
            expect([grant.popKeyId, ...grant.scopes].join()).toBe(model.newestIssued());
            expect(grant.expiresAt * 1000).toBeLessThanOrEqual(start + 30 * day);
          }
        }
        expect(stored.valid(now).length).toBeLessThanOrEqual(model.ended(now) ? 0 : 16);
      }
    });
    fc.assert(property, { numRuns: 400 });
    // Guards against a property that passes because it never reaches these results.
    const reasons = ["REFRESH_TOKEN_INVALID", "REFRESH_TOKEN_REUSED", "PROOF_KEY_REQUIRED", "OAUTH_CLIENT_DISABLED"];
    const results = [
      "PRINCIPAL_DISABLED",
      "SCOPES_NOT_GRANTED",
      "the same tokens",
      "another access token",
      "new tokens",
    ];
    for (const result of [...reasons, ...results]) expect(reached.get(result), result).toBeGreaterThan(5);
  });

  it("gives any number of calls with one token the same tokens while the access token is valid, however they are spread", () => {
    const property = fc.property(fc.array(fc.nat(899_999), { minLength: 1, maxLength: 20 }), (offsets) => {
      const stored = createStored("");
      const [first, ...retries] = [0, ...offsets.toSorted((a, b) => a - b)].map((after) =>
        stored.refresh(1, plain, start + after),
      );
      expect(first).toMatchObject({ ok: true, generation: 2 });
      for (const retry of retries) expect(retry).toEqual(first);
      expect(stored.grants).toHaveLength(2);
    });
    fc.assert(property);
  });

  it("has at most 16 valid access tokens, and none once it is revoked", () => {
    const waits = fc.array(fc.constantFrom(0, 1, 60_000), { minLength: 17, maxLength: 40 });
    const property = fc.property(waits, (gaps) => {
      const stored = createStored("");
      let now = start;
      for (const [replaced, gap] of gaps.entries()) {
        now += gap;
        expect(stored.refresh(replaced + 1, plain, now).ok).toBe(true);
        expect(stored.valid(now).length).toBeLessThanOrEqual(16);
      }
      stored.revoke("its principal", actorOf("", "p-1"), now);
      expect(stored.valid(now)).toEqual([]);
    });
    fc.assert(property);
  });
});
