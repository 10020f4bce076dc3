import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutCodeGrant } from "../testing/without-code-grant.js";
import { decideAnswerDeviceAuthorization } from "./answer-device-authorization.js";
import type { Decision } from "./decision.js";
import type { DeviceAuthorization } from "./device-authorization.js";
import { decideExchange, type ExchangeOutcome } from "./exchange-device-code.js";
import type { Grant } from "./grant.js";
import { decideStartDeviceAuthorization } from "./start-device-authorization.js";

const start = 1_700_000_000_000;
const client = {
  tenantId: "t-1",
  oauthClientId: "c-1",
  name: "Agent",
  allowedOperations: ["x"],
  ...withoutCodeGrant,
  enabled: true,
  registeredAt: 1,
  registeredBy: "admin-1",
};
const actorOf = (principalId: string, oauthClientId = "c-1") => ({
  tenantId: "t-1",
  principalId,
  oauthClientId,
  tokenId: "jti",
  operation: "any",
  requestId: "r-1",
});

type Step =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "poll"; readonly by: string; readonly key: string | undefined }
  | { readonly do: "steal" }
  | { readonly do: "answer"; readonly answer: "deny" | { readonly approve: readonly string[] } }
  | { readonly do: "activate"; readonly active: boolean }
  | { readonly do: "policy"; readonly policy: Policy };

/** The settings of the OAuth client that an administrator may change at any time. */
interface Policy {
  readonly enabled: boolean;
  /** The scopes of its allowed operations. */
  readonly open: readonly string[];
}

const poll = fc.record({
  do: fc.constant("poll"),
  by: fc.constantFrom("agent-1", "agent-1", "agent-2"),
  key: fc.constantFrom("key-1", "key-1", "key-2", undefined),
});
const answer = fc.oneof(
  { weight: 1, arbitrary: fc.constant("deny" as const) },
  { weight: 2, arbitrary: fc.record({ approve: fc.subarray(["a", "b", "c"], { maxLength: 2 }) }) },
);
const policy: fc.Arbitrary<Policy> = fc.record({
  enabled: fc.constantFrom(true, true, false),
  open: fc.constantFrom(["a", "b"], ["a", "b"], ["a"], []),
});
const wait = fc.record({
  do: fc.constant("wait"),
  ms: fc.constantFrom(1, 250, 4_499, 4_500, 9_000, 54_000, 60_000, 200_000),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: poll },
  { weight: 6, arbitrary: wait },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("steal") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("answer"), answer }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("activate"), active: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("policy"), policy }) },
);

/** An independent model of the rules, from the history of events alone: no states, no snapshots. */
function createModel() {
  let decided: { readonly scopes: readonly string[] } | "denied" | undefined;
  let redeemed:
    | { readonly at: number; readonly by: string; readonly key: string | undefined; readonly scopes: readonly string[] }
    | undefined;
  let burned = false;
  let revoked = false;
  let active = true;
  let open: readonly string[] = ["a", "b"];
  let accepted: number | undefined;
  let interval = 5;

  return {
    setActive(now: boolean) {
      active = now;
    },
    setPolicy(now: Policy) {
      open = now.enabled ? now.open : [];
    },
    revoked: () => revoked,
    steal() {
      revoked ||= redeemed !== undefined;
    },
    answer(scopes: readonly string[] | "none", at: number): string {
      if (!active) return "PRINCIPAL_DISABLED";
      if (decided !== undefined || at - start >= 600_000) return "DEVICE_AUTHORIZATION_DECIDED";
      if (scopes !== "none" && scopes.includes("c")) return "SCOPES_NOT_REQUESTED";
      decided = scopes === "none" ? "denied" : { scopes };
      return "ok";
    },
    poll(by: string, key: string | undefined, at: number): { status: string; interval?: number; replay?: boolean } {
      if (redeemed !== undefined) {
        const same = key !== undefined && redeemed.key === key && redeemed.by === by && at < redeemed.at + 60_000;
        const grantable = active && !revoked && redeemed.scopes.every((scope) => open.includes(scope));
        return same && grantable ? { status: "approved", replay: true } : { status: "DEVICE_CODE_CONSUMED" };
      }
      if (burned || decided === "denied") return { status: "access_denied" };
      if (at - start >= 600_000) return { status: "expired_token" };
      if (decided !== undefined) {
        const scopes = decided.scopes.filter((scope) => open.includes(scope));
        if (active && scopes.length > 0) {
          redeemed = { at, by, key, scopes };
          return { status: "approved", replay: false };
        }
        burned = true;
        return { status: active ? "access_denied" : "PRINCIPAL_DISABLED" };
      }
      const earliest = accepted === undefined ? start : accepted + Math.min(interval * 900, interval * 1000 - 250);
      if (at < earliest) {
        interval = Math.min(60, interval + 5);
        return { status: "slow_down", interval };
      }
      accepted = at;
      return { status: "authorization_pending", interval };
    },
  };
}

/** Applies decisions to one device authorization, as a storage does. */
function createStored() {
  let authorization: DeviceAuthorization | undefined;
  let grant: Grant | undefined;
  const revocations = new Set<string>();
  let policy: Policy = { enabled: true, open: ["a", "b"] };
  const apply = <Outcome>({ outcome, writes }: Decision<Outcome>): Outcome => {
    for (const write of writes) {
      if (write.kind === "deviceAuthorization") {
        expect(write.authorization.revision).toBe((authorization?.revision ?? 0) + 1);
        authorization = write.authorization;
      }
      if (write.kind === "grant") grant = write.grant;
      if (write.kind === "revocation") revocations.add(write.subjectId);
    }
    return outcome;
  };
  const codes = { deviceCodeHash: "d", userCodeHash: "u", tenantId: "t-1", oauthClientId: "c-1", popKeyId: "" };
  const wanted = { ...codes, requestedScopes: ["a", "b"] };
  const starting = { oauthClient: client, authorization: undefined };
  apply(decideStartDeviceAuthorization(starting, wanted, actorOf("agent-1"), start));
  let drawn = 0;
  return {
    authorization: () => authorization,
    setPolicy(now: Policy) {
      policy = now;
    },
    revoked: () => grant !== undefined && revocations.has(grant.grantId),
    exchange(by: string, oauthClientId: string, key: string | undefined, approverActive: boolean, now: number) {
      drawn += 1;
      const input = {
        idempotencyKeyHash: key,
        grantId: `g-${drawn}`,
        accessTokenId: `a-${drawn}`,
        brokerTokenId: `b-${drawn}`,
        keyId: "k",
        requiredScopes: new Map([["x", policy.open]]),
      };
      const grantRevoked = grant !== undefined && revocations.has(grant.grantId);
      const oauthClient = { ...client, enabled: policy.enabled };
      const snapshot = { authorization, oauthClient, approverActive, grant, grantRevoked, refreshFamily: undefined };
      return apply(decideExchange(snapshot, input, actorOf(by, oauthClientId), now));
    },
    answer(answer: { approve: readonly string[] } | "deny", principalActive: boolean, now: number) {
      const snapshot = { authorization, oauthClient: client, principalActive };
      const approver = { tenantId: "t-1", principalId: "user-1" };
      return apply(decideAnswerDeviceAuthorization(snapshot, approver, answer, actorOf("user-1", "console"), now));
    },
  };
}

const statusOf = (outcome: ExchangeOutcome): string => (outcome.ok ? outcome.status : outcome.reason);

/** The statuses that may follow each final status. */
const finals: Readonly<Record<string, readonly string[]>> = {
  access_denied: ["access_denied"],
  expired_token: ["expired_token"],
  PRINCIPAL_DISABLED: ["access_denied"],
  approved: ["approved", "DEVICE_CODE_CONSUMED"],
  DEVICE_CODE_CONSUMED: ["approved", "DEVICE_CODE_CONSUMED"],
};

describe("a device authorization over any history of polls, decisions, stolen codes and time (DECISIONS section 4)", () => {
  it("matches the model, makes at most one grant, and never leaves a final state", () => {
    const reached = new Map<string, number>();
    const property = fc.property(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), (steps) => {
      const model = createModel();
      const stored = createStored();
      const grants: Grant[] = [];
      let now = start;
      let active = true;
      let allowed: readonly string[] | undefined;
      for (const step of steps) {
        if (step.do === "wait") now += step.ms;
        if (step.do === "activate") {
          active = step.active;
          model.setActive(active);
        }
        if (step.do === "policy") {
          model.setPolicy(step.policy);
          stored.setPolicy(step.policy);
        }
        if (step.do === "steal") {
          model.steal();
          const outcome = stored.exchange("thief", "c-2", "key-1", active, now);
          expect(outcome).toMatchObject({ ok: false, reason: "DEVICE_CODE_INVALID" });
        }
        if (step.do === "answer") {
          const expected = model.answer(step.answer === "deny" ? "none" : step.answer.approve, now);
          const outcome = stored.answer(step.answer, active, now);
          expect(outcome.ok ? "ok" : outcome.reason).toBe(expected);
        }
        if (step.do === "poll") {
          const expected = model.poll(step.by, step.key, now);
          const outcome = stored.exchange(step.by, "c-1", step.key, active, now);
          const status = statusOf(outcome);
          expect(status).toBe(expected.status);
          reached.set(status, (reached.get(status) ?? 0) + 1);
          if (allowed !== undefined) expect(allowed).toContain(status);
          allowed ??= finals[status];
          if ("intervalSeconds" in outcome) {
            expect(outcome.intervalSeconds).toBe(expected.interval);
            expect(outcome.expiresInSeconds).toBe(Math.ceil((start + 600_000 - now) / 1000));
          }
          if ("grant" in outcome) {
            grants.push(outcome.grant);
            if (expected.replay === true) reached.set("replay", (reached.get("replay") ?? 0) + 1);
            else expect(grants).toHaveLength(1);
          }
        }
        expect(stored.authorization()?.intervalSeconds).toBeLessThanOrEqual(60);
        expect(stored.revoked()).toBe(model.revoked());
      }
      for (const grant of grants) expect(grant).toEqual(grants[0]);
    });
    fc.assert(property, { numRuns: 1_000 });
    // Guards against a property that passes because it never reaches these statuses.
    const all = ["authorization_pending", "slow_down", "expired_token", ...Object.keys(finals), "replay"];
    for (const status of all) expect(reached.get(status), status).toBeGreaterThan(5);
  });

  it("never returns slow_down to a caller that waits the returned interval, after any earlier polls", () => {
    const property = fc.property(fc.array(wait, { maxLength: 30 }), fc.nat(3_000), (earlier, jitter) => {
      const stored = createStored();
      let now = start;
      const ask = () => stored.exchange("agent-1", "c-1", undefined, true, now);
      let answer = ask();
      for (const { ms } of earlier) {
        now += ms;
        answer = ask();
      }
      for (let polls = 0; polls < 20 && "intervalSeconds" in answer; polls += 1) {
        now += answer.intervalSeconds * 1000 + jitter;
        answer = ask();
        expect(statusOf(answer)).toBe(now - start < 600_000 ? "authorization_pending" : "expired_token");
      }
    });
    fc.assert(property);
  });

  it("approves exactly one of any number of exchanges of an approved code without a key", () => {
    const property = fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(100), (calls, gap) => {
      const stored = createStored();
      stored.answer({ approve: ["a"] }, true, start);
      const status = Array.from({ length: calls }, (_, n) =>
        statusOf(stored.exchange("agent-1", "c-1", undefined, true, start + n * gap)),
      );
      expect(status).toEqual(["approved", ...Array(calls - 1).fill("DEVICE_CODE_CONSUMED")]);
    });
    fc.assert(property);
  });
});
