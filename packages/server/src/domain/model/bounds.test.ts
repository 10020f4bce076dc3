import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allows,
  type Bounds,
  boundsOf,
  describeBounds,
  narrow,
  sameBounds,
  vaultActions,
  vaultDetailOf,
} from "./bounds.js";

const vaultIds = ["v-1", "v-2", "v-3"];
const hosts = ["a.example", "b.example:8443"];
const bounds: fc.Arbitrary<Bounds> = fc.record(
  {
    vaults: fc.subarray(vaultIds),
    actions: fc.subarray([...vaultActions]),
    maxDeletions: fc.nat(3),
    maxUses: fc.nat(3),
    hosts: fc.subarray(hosts),
    asksEachTime: fc.boolean(),
    expiresAt: fc.nat(3),
  },
  { requiredKeys: [] },
);

describe("narrow: what both the request and the approval allow", () => {
  it("allows an action in a vault, a host, a number and a time if and only if both do, and asks if one of them does", () => {
    fc.assert(
      fc.property(bounds, bounds, (one, two) => {
        const both = narrow(one, two) ?? expect.unreachable();
        for (const vaultId of vaultIds) {
          for (const action of vaultActions) {
            expect(allows(both, vaultId, action)).toBe(allows(one, vaultId, action) && allows(two, vaultId, action));
          }
        }
        for (const host of hosts) {
          const at = ({ hosts: allowed }: Bounds) => allowed?.includes(host) ?? true;
          expect(at(both)).toBe(at(one) && at(two));
        }
        expect(both.asksEachTime === true).toBe(one.asksEachTime === true || two.asksEachTime === true);
        for (const number of [0, 1, 2, 3, 4]) {
          const most = ({ maxDeletions = 9 }: Bounds) => number <= maxDeletions;
          const uses = ({ maxUses = 9 }: Bounds) => number <= maxUses;
          const lasts = ({ expiresAt = 9 }: Bounds) => number < expiresAt;
          expect(most(both)).toBe(most(one) && most(two));
          expect(uses(both)).toBe(uses(one) && uses(two));
          expect(lasts(both)).toBe(lasts(one) && lasts(two));
        }
      }),
    );
  });

  it("returns the bounds of the other if one has none, and undefined if neither has any", () => {
    const some = { maxDeletions: 1 };
    expect(narrow(undefined, undefined)).toBeUndefined();
    expect(narrow(some, undefined)).toEqual(some);
    expect(narrow(undefined, some)).toEqual(some);
    expect(narrow({}, some)).toEqual(some);
  });
});

describe("bounds", () => {
  const all: Bounds = {
    vaults: ["v-2", "v-1", "v-2"],
    actions: ["delete", "use"],
    maxDeletions: 0,
    maxUses: 3,
    hosts: ["b", "a"],
    asksEachTime: true,
    expiresAt: 1_500,
  };

  it("are stored in one form, so that the same bounds are equal", () => {
    const uses = { maxUses: 3, hosts: ["a", "b"], asksEachTime: true };
    const stored = { vaults: ["v-1", "v-2"], actions: ["delete", "use"], maxDeletions: 0, ...uses, expiresAt: 1_500 };
    expect(boundsOf(all)).toEqual(stored);
    expect(sameBounds(boundsOf(all), boundsOf({ ...all, vaults: ["v-1", "v-2"] }))).toBe(true);
    expect(sameBounds(boundsOf(all), boundsOf({ ...all, maxDeletions: 1 }))).toBe(false);
    expect(sameBounds(undefined, boundsOf({}))).toBe(false);
    expect(boundsOf({ asksEachTime: false })).toEqual({});
    expect(boundsOf({ vaults: undefined })).not.toHaveProperty("vaults");
  });

  it("are described for the audit trail", () => {
    expect(describeBounds(boundsOf(all))).toBe(
      "vaults v-1 v-2, actions delete use, at most 0 deletions, at most 3 uses, at a b, asks each time, until 1970-01-01T00:00:01.500Z",
    );
    expect(describeBounds({ vaults: [], actions: [] })).toBe("vaults none, actions none");
    expect(describeBounds({})).toBe("no bounds");
  });

  it("are an authorization detail of the type vault, with times in seconds", () => {
    expect(vaultDetailOf(boundsOf(all))).toEqual({
      type: "vault",
      vaults: ["v-1", "v-2"],
      actions: ["delete", "use"],
      max_deletions: 0,
      max_uses: 3,
      hosts: ["a", "b"],
      expires_at: 1,
    });
    expect(vaultDetailOf({})).toEqual({ type: "vault" });
  });
});
