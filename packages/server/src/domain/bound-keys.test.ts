import { describe, expect, it } from "vitest";
import { storedRecords } from "../testing/stored-records.js";
import { boundKeys, decideBindKeys } from "./bound-keys.js";

const accepted = { ok: true };

describe("DECISIONS section 5: the keys of a database", () => {
  it.each([
    ["a new database accepts that no keys exist yet", undefined, undefined, undefined, accepted, undefined],
    ["a new database is bound to its first keys", undefined, "a", undefined, accepted, "a"],
    ["accepts the bound keys", "a", "a", undefined, accepted, undefined],
    ["rejects missing keys", "a", undefined, undefined, { ok: false, expected: "a" }, undefined],
    ["rejects other keys", "a", "b", undefined, { ok: false, expected: "a" }, undefined],
    ["accepts missing keys when the bound ones may be replaced", "a", undefined, "a", accepted, undefined],
    ["binds other keys when the bound ones may be replaced", "a", "b", "a", accepted, "b"],
    [
      "ignores a permission to replace keys that are no longer bound",
      "b",
      undefined,
      "a",
      { ok: false, expected: "b" },
      undefined,
    ],
  ] as const)("%s", (_, bound, keysId, replace, outcome, written) => {
    const stored = bound === undefined ? storedRecords() : storedRecords(boundKeys.create({ keysId: bound }, 0));
    const decision = decideBindKeys(stored, { keysId, replace }, 0);
    expect(decision.outcome).toEqual(outcome);
    expect(decision.writes.map((write) => write.kind === "record" && boundKeys.read(write.record))).toEqual(
      written === undefined ? [] : [{ keysId: written }],
    );
  });
});
