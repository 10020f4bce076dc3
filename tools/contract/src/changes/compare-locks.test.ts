import { describe, expect, it } from "vitest";
import type { Constraints, Lock, LockedHeader } from "../lock/schema.ts";
import type { ChangeRuleId } from "./change-rules.ts";
import { compareLocks } from "./compare-locks.ts";
import { constraintChanges, refusesAbsence } from "./constraints.ts";

const empty: Lock = { format: 1, operations: {}, messages: {}, reasons: {}, limits: {}, headers: {} };
const withHeader = (header?: LockedHeader): Lock => ({ ...empty, headers: header ? { "X-Tenant": header } : {} });
const optional = { required: false, constraints: {} };
const required = { required: true, constraints: {} };

describe("DECISIONS section 8: a request header is part of the contract", () => {
  it.each<[string, LockedHeader | undefined, LockedHeader | undefined, ChangeRuleId]>([
    ["a required one added", undefined, required, "header-required"],
    ["an optional one made required", optional, required, "header-required"],
    ["an optional one added", undefined, optional, "header-added"],
    ["a required one made optional", required, optional, "header-relaxed"],
    ["a required one removed", required, undefined, "header-relaxed"],
    ["an optional one removed", optional, undefined, "header-removed"],
    [
      "a longer minimum",
      { ...optional, constraints: { minLength: 16 } },
      { ...optional, constraints: { minLength: 32 } },
      "constraint-tightened",
    ],
    [
      "a longer maximum",
      { ...optional, constraints: { maxLength: 16 } },
      { ...optional, constraints: { maxLength: 32 } },
      "constraint-loosened",
    ],
  ])("%s", (_what, before, after, rule) => {
    const changes = compareLocks(withHeader(before), withHeader(after));
    expect(changes.map((each) => each.rule)).toEqual([rule]);
  });
});

describe("a sunset that was announced is a promise", () => {
  const ending = (sunsetOn?: string): Lock => ({
    ...empty,
    operations: {
      "p.S/M": {
        path: "POST /p.S/M",
        request: "p.A",
        response: "p.B",
        visibility: "public",
        requiredScopes: [],
        retrySafety: "none",
        errors: [],
        comment: "",
        ...(sunsetOn !== undefined && { deprecation: { deprecatedOn: "2027-01-01", sunsetOn } }),
      },
    },
  });

  it.each<[string, string | undefined, string | undefined, ChangeRuleId]>([
    ["announced", undefined, "2027-12-31", "deprecation-announced"],
    ["withdrawn", "2027-12-31", undefined, "deprecation-withdrawn"],
    ["brought forward", "2027-12-31", "2027-12-30", "sunset-brought-forward"],
    ["put off", "2027-12-31", "2028-01-01", "sunset-put-off"],
  ])("%s", (_what, before, after, rule) => {
    expect(compareLocks(ending(before), ending(after)).map((each) => each.rule)).toEqual([rule]);
  });
});

describe("a constraint is loosened only if all that was valid surely still is", () => {
  it.each<[string, Constraints, Constraints, "tightened" | "loosened"]>([
    ["a higher max_len", { "string.maxLen": 1 }, { "string.maxLen": 2 }, "loosened"],
    ["a lower max_items", { "repeated.maxItems": 2 }, { "repeated.maxItems": 1 }, "tightened"],
    ["a lower lt", { "uint32.lt": 2 }, { "uint32.lt": 1 }, "tightened"],
    ["a lower gt", { "uint32.gt": 2 }, { "uint32.gt": 1 }, "loosened"],
    ["a higher min_items", { "repeated.minItems": 1 }, { "repeated.minItems": 2 }, "tightened"],
    ["a nested bound", { "repeated.items.string.maxLen": 9 }, { "repeated.items.string.maxLen": 8 }, "tightened"],
    ["one more allowed value", { "string.in": ["a"] }, { "string.in": ["a", "b"] }, "loosened"],
    ["one allowed value less", { "string.in": ["a", "b"] }, { "string.in": ["a"] }, "tightened"],
    ["one allowed value for another", { "string.in": ["a"] }, { "string.in": ["b", "c"] }, "tightened"],
    ["one more forbidden value", { "string.notIn": ["a"] }, { "string.notIn": ["a", "b"] }, "tightened"],
    ["one forbidden value less", { "string.notIn": ["a", "b"] }, { "string.notIn": ["a"] }, "loosened"],
    ["required", {}, { required: true }, "tightened"],
    ["no longer required", { required: true }, {}, "loosened"],
    ["empty values let through", {}, { ignore: "IGNORE_IF_ZERO_VALUE" }, "loosened"],
    ["empty values no longer let through", { ignore: "IGNORE_IF_ZERO_VALUE" }, {}, "tightened"],
    ["another constant", { "string.const": "a" }, { "string.const": "b" }, "tightened"],
    ["a rule that nobody knows", { "string.novel": 1 }, { "string.novel": 2 }, "tightened"],
  ])("%s", (_what, before, after, direction) => {
    const changes = [...constraintChanges(["messages"], "p.M.f", before, after)];
    expect(changes.map(({ rule }) => rule)).toEqual([`constraint-${direction}`]);
  });
});

describe("a new field of a request must be one that callers of today may leave out", () => {
  it.each<[Constraints, boolean]>([
    [{}, false],
    [{ "string.maxLen": 9 }, false],
    [{ "string.minLen": 0 }, false],
    [{ "string.minLen": 1 }, true],
    [{ "uint32.gt": 0 }, true],
    [{ "string.in": ["", "a"] }, false],
    [{ "string.in": ["a"] }, true],
    [{ "string.const": "a" }, true],
    [{ "string.pattern": "^a*$" }, false],
    [{ "repeated.items.string.minLen": 1 }, false],
    [{ "repeated.minItems": 1 }, true],
    [{ required: true }, true],
    [{ ignore: "IGNORE_IF_ZERO_VALUE", "string.minLen": 1 }, false],
  ])("%j: must be sent: %j", (constraints, must) => {
    expect(refusesAbsence(constraints)).toBe(must);
  });
});
