import { describe, expect, it } from "vitest";
import { decideBindKeys } from "./bound-keys.js";

const accepted = { ok: true };

describe("DECISIONS section 5: the keys of a database", () => {
  it.each([
    ["a new database waits for keys that are not made yet", undefined, undefined, undefined, accepted, []],
    ["a new database is bound to its first keys", undefined, "a", undefined, accepted, [{ kind: "keys", keysId: "a" }]],
    ["the bound keys are accepted", "a", "a", undefined, accepted, []],
    ["missing keys are refused", "a", undefined, undefined, { ok: false, expected: "a" }, []],
    ["other keys are refused", "a", "b", undefined, { ok: false, expected: "a" }, []],
    ["missing keys are accepted when the bound ones may be replaced", "a", undefined, "a", accepted, []],
    ["other keys replace bound ones that may be", "a", "b", "a", accepted, [{ kind: "keys", keysId: "b" }]],
    [
      "a permission for keys that are replaced already means nothing",
      "b",
      undefined,
      "a",
      { ok: false, expected: "b" },
      [],
    ],
  ] as const)("%s", (_, bound, keysId, replace, outcome, writes) => {
    expect(decideBindKeys({ keysId: bound }, { keysId, replace })).toEqual({ outcome, writes });
  });
});
