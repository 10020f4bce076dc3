import {
  type AuthorizationRequest,
  type AuthorizationResult,
  type Call,
  createAuthorizationModel,
} from "@platform-rpc/server/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findViolation } from "./linearize.ts";
import { someOrderExplains } from "./testing/every-order.ts";

type AuthorizationCall = Call<AuthorizationRequest, AuthorizationResult>;

const model = createAuthorizationModel(false);

const approve: AuthorizationRequest = { kind: "approve" };
const deny: AuthorizationRequest = { kind: "deny" };
const revoke: AuthorizationRequest = { kind: "revoke" };
const look: AuthorizationRequest = { kind: "look" };
const exchange = (key?: string): AuthorizationRequest => ({ kind: "exchange", own: true, ...(key && { key }) });
const foreign: AuthorizationRequest = { kind: "exchange", own: false };
const done: AuthorizationResult = { ok: true, status: "done" };
const pending: AuthorizationResult = { ok: true, status: "authorization_pending" };
const denied: AuthorizationResult = { ok: true, status: "access_denied" };
const tokens = (digest: string): AuthorizationResult => ({ ok: true, status: "approved", tokens: digest });
const consumed: AuthorizationResult = { ok: false, reason: "DEVICE_CODE_CONSUMED" };
const decided: AuthorizationResult = { ok: false, reason: "DEVICE_AUTHORIZATION_DECIDED" };
const invalid: AuthorizationResult = { ok: false, reason: "DEVICE_CODE_INVALID" };
const lost = undefined;

/** Makes each call after the one before it has ended. */
function oneAfterTheOther(
  calls: readonly (readonly [AuthorizationRequest, AuthorizationResult | undefined])[],
): AuthorizationCall[] {
  return calls.map(([request, result], index) => ({ request, result, begunAt: 10 * index, endedAt: 10 * index + 5 }));
}

describe("the model of a device authorization", () => {
  it.each([
    [
      "polls, then tokens",
      [
        [exchange(), pending],
        [approve, done],
        [exchange(), tokens("x")],
      ],
    ],
    [
      "a replay with the same key",
      [
        [approve, done],
        [exchange("k"), tokens("x")],
        [exchange("k"), tokens("x")],
      ],
    ],
    [
      "a replay of lost tokens",
      [
        [approve, done],
        [exchange("k"), lost],
        [exchange("k"), tokens("x")],
      ],
    ],
    [
      "a lost approval that took effect",
      [
        [approve, lost],
        [exchange(), tokens("x")],
      ],
    ],
    [
      "a lost approval that did not",
      [
        [approve, lost],
        [deny, done],
        [exchange(), denied],
      ],
    ],
    [
      "lost tokens without a key",
      [
        [approve, done],
        [exchange(), lost],
        [exchange("k"), consumed],
      ],
    ],
    [
      "no replay after a revocation",
      [
        [approve, done],
        [exchange("k"), tokens("x")],
        [revoke, done],
        [exchange("k"), consumed],
      ],
    ],
    [
      "no replay after a foreign exchange",
      [
        [approve, done],
        [exchange("k"), tokens("x")],
        [foreign, invalid],
        [exchange("k"), consumed],
      ],
    ],
    [
      "a second answer",
      [
        [deny, done],
        [approve, decided],
        [exchange(), denied],
      ],
    ],
  ] as const)("accepts %s", (_, calls) => {
    expect(findViolation(model, oneAfterTheOther(calls))).toBeUndefined();
  });

  it.each([
    [
      "a code that was exchanged twice",
      [
        [approve, done],
        [exchange(), tokens("x")],
        [exchange(), tokens("y")],
      ],
    ],
    [
      "a replay with other tokens",
      [
        [approve, done],
        [exchange("k"), tokens("x")],
        [exchange("k"), tokens("y")],
      ],
    ],
    [
      "a replay with another key",
      [
        [approve, done],
        [exchange("k"), tokens("x")],
        [exchange("l"), tokens("x")],
      ],
    ],
    [
      "a lost grant",
      [
        [approve, done],
        [exchange("k"), tokens("x")],
        [exchange("k"), consumed],
        [exchange("l"), pending],
      ],
    ],
    [
      "a replay that is refused",
      [
        [approve, done],
        [exchange("k"), tokens("x")],
        [exchange("k"), consumed],
      ],
    ],
    [
      "a replay after a revocation",
      [
        [approve, done],
        [exchange("k"), tokens("x")],
        [revoke, done],
        [exchange("k"), tokens("x")],
      ],
    ],
    ["tokens without an approval", [[exchange(), tokens("x")]]],
    [
      "tokens after a denial",
      [
        [deny, done],
        [exchange(), tokens("x")],
      ],
    ],
    [
      "two answers that both took effect",
      [
        [deny, done],
        [approve, done],
      ],
    ],
    [
      "a status from before an acknowledged approval",
      [
        [approve, done],
        [look, { ok: true, status: "pending" }],
      ],
    ],
    [
      "a poll after an approval was acknowledged",
      [
        [approve, done],
        [exchange(), pending],
      ],
    ],
  ] as const)("rejects %s", (_, calls) => {
    expect(findViolation(model, oneAfterTheOther(calls))).toBeDefined();
  });

  it("accepts a refused replay that is explained only if an overlapping foreign exchange takes effect before it", () => {
    const calls = [exchange("k"), exchange("k"), foreign, approve].map((request, index) => ({
      ...{ request, result: [tokens("x"), consumed, invalid, done][index] },
      ...{ begunAt: 0, endedAt: 0 },
    }));
    expect(findViolation(model, calls)).toBeUndefined();
  });

  it("agrees with trying every order, on calls with any results", () => {
    const request = fc.constantFrom(approve, deny, look, revoke, foreign, exchange(), exchange("k"), exchange("l"));
    const result = fc.constantFrom(done, pending, denied, tokens("x"), tokens("y"), consumed, decided, invalid, lost);
    const call = fc
      .record({ request, result, begunAt: fc.nat(12), length: fc.nat(8) })
      .map(({ length, ...rest }) => ({ ...rest, endedAt: rest.begunAt + length }));
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 5 }),
        (calls) => (findViolation(model, calls) === undefined) === someOrderExplains(model, calls),
      ),
      { numRuns: 5000 },
    );
  });
});
