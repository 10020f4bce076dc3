import { describe, expect, it } from "vitest";
import { decideBindKeys } from "./bound-keys.js";

const accepted = { ok: true };

describe("DECISIONS section 5: the keys of a database", () => {
  it.each([
    ["a new database accepts that no keys exist yet", undefined, undefined, undefined, accepted, []],
    ["a new database is bound to its first keys", undefined, "a", undefined, accepted, [{ kind: "keys", keysId: "a" }]],
    ["accepts the bound keys", "a", "a", undefined, accepted, []],
    ["rejects missing keys", "a", undefined, undefined, { ok: false, expected: "a" }, []],
    ["rejects other keys", "a", "b", undefined, { ok: false, expected: "a" }, []],
    ["accepts missing keys when the bound ones may be replaced", "a", undefined, "a", accepted, []],
    ["binds other keys when the bound ones may be replaced", "a", "b", "a", accepted, [{ kind: "keys", keysId: "b" }]],
    [
      "ignores a permission to replace keys that are no longer bound",
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
