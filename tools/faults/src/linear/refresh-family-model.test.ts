import { type Call, createFamilyModel, type FamilyRequest, type FamilyResult } from "@platform-rpc/server/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findViolation } from "./linearize.ts";
import { someOrderExplains } from "./testing/every-order.ts";

type FamilyCall = Call<FamilyRequest, FamilyResult>;
type Made = readonly [FamilyRequest, FamilyResult | undefined];

const model = createFamilyModel(false);

const refresh = (token: string): FamilyRequest => ({ kind: "refresh", token });
const use = (issuedWith: string): FamilyRequest => ({ kind: "use", access: `a ${issuedWith}`, issuedWith });
const revoke: FamilyRequest = { kind: "revoke" };
const got = (token: string): FamilyResult => ({ ok: true, token });
const done: FamilyResult = { ok: true };
const rejected: FamilyResult = { ok: false, reason: "invalid_grant" };
const lost = undefined;
const started: Made = [{ kind: "start" }, got("0")];

function oneAfterTheOther(calls: readonly Made[]): FamilyCall[] {
  return calls.map(([request, result], index) => ({ request, result, begunAt: 10 * index, endedAt: 10 * index + 5 }));
}

describe("the model of a sign-in (docs/oauth.md, Rotation)", () => {
  it.each<[string, Made[]]>([
    [
      "refreshes and uses",
      [
        [refresh("0"), got("1")],
        [use("1"), done],
        [refresh("1"), got("2")],
      ],
    ],
    [
      "a lost answer that is repeated",
      [
        [refresh("0"), lost],
        [refresh("0"), got("1")],
        [refresh("1"), got("2")],
      ],
    ],
    [
      "a repetition after the old access token was used",
      [
        [refresh("0"), got("1")],
        [use("0"), done],
        [refresh("0"), got("1")],
      ],
    ],
    [
      "the end of the sign-in after its new access token was used",
      [
        [refresh("0"), got("1")],
        [use("1"), done],
        [refresh("0"), rejected],
        [refresh("1"), rejected],
      ],
    ],
    [
      "the end of the sign-in after the successor was used",
      [
        [refresh("0"), got("1")],
        [refresh("1"), got("2")],
        [refresh("0"), rejected],
      ],
    ],
    [
      "a lost revocation that took effect",
      [
        [revoke, lost],
        [use("0"), rejected],
        [refresh("0"), rejected],
      ],
    ],
    [
      "a lost refresh that took effect late, as a theft",
      [
        [refresh("0"), lost],
        [refresh("0"), got("1")],
        [refresh("1"), got("2")],
        [refresh("2"), rejected],
      ],
    ],
  ])("accepts %s", (_, calls) => {
    expect(findViolation(model, oneAfterTheOther([started, ...calls]))).toBeUndefined();
  });

  it.each<[string, Made[]]>([
    [
      "the end of a sign-in whose answer was lost",
      [
        [refresh("0"), got("1")],
        [refresh("0"), rejected],
      ],
    ],
    [
      "another successor",
      [
        [refresh("0"), got("1")],
        [refresh("0"), got("2")],
      ],
    ],
    [
      "a successor that was replaced already",
      [
        [refresh("0"), got("1")],
        [refresh("1"), got("2")],
        [refresh("0"), got("1")],
      ],
    ],
    [
      "a rejected newest token",
      [
        [refresh("0"), got("1")],
        [refresh("1"), rejected],
      ],
    ],
    ["a rejected access token of a sign-in that has not ended", [[use("0"), rejected]]],
    [
      "a refresh after the end",
      [
        [revoke, done],
        [refresh("0"), got("1")],
      ],
    ],
  ])("rejects %s", (_, calls) => {
    expect(findViolation(model, oneAfterTheOther([started, ...calls]))).toBeDefined();
  });

  it("agrees with trying every order, on calls with any results", () => {
    const request = fc.constantFrom(refresh("0"), refresh("1"), refresh("2"), use("0"), use("1"), revoke);
    const result = fc.constantFrom(got("1"), got("2"), done, rejected, lost);
    const call = fc
      .record({ request, result, begunAt: fc.integer({ min: 10, max: 22 }), length: fc.nat(8) })
      .filter(({ request, result }) => request.kind !== "refresh" || result !== done)
      .map(({ length, ...rest }) => ({ ...rest, endedAt: rest.begunAt + length }));
    fc.assert(
      fc.property(fc.array(call, { maxLength: 4 }), (made) => {
        const calls = [...oneAfterTheOther([started]), ...made];
        return (findViolation(model, calls) === undefined) === someOrderExplains(model, calls);
      }),
      { numRuns: 5000 },
    );
  });
});
