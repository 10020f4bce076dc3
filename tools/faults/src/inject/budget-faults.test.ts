import { describe, expect, it } from "vitest";
import type { RecordedCall } from "../history/journal.ts";
import { judgeBudgets } from "./budget-faults.ts";

const base = { requestId: "", begunAt: 0, endedAt: 1, lost: undefined, refused: undefined };
const exhausted = { ok: false, reason: "DELEGATION_EXHAUSTED", allowed: 10, used: 10 } as const;
const tombstone = (sequence: number) => ({ version: 2, deleted: true, content: "c", sequence });

/** Makes the calls of a round: the first deletions succeed, and the others are rejected. */
function round({ acknowledged = 10, listed = 10, rejected = exhausted as object, items = 64 }): RecordedCall[] {
  const ids = Array.from({ length: items }, (_, index) => `item-${index}`);
  const deletions = ids.map((itemId, index) => ({
    ...base,
    request: { on: "item", kind: "delete", vaultId: "v", itemId, baseVersion: 1, delegation: "code" },
    result: index < acknowledged ? { ok: true, ...tombstone(index) } : rejected,
  }));
  const list = {
    ...base,
    request: { on: "vault", kind: "list", vaultId: "v", after: 0 },
    result: {
      ...{ ok: true, cursor: 64, more: false },
      items: ids.map((itemId, index) => ({ itemId, ...tombstone(index), deleted: index < listed })),
    },
  };
  return [...deletions, list] as RecordedCall[];
}

describe("DECISIONS section 9: the judgement of 64 deletions with a budget of 10", () => {
  it("accepts 10 deletions and 54 rejections", () => {
    const { violations, figures } = judgeBudgets([...round({}), ...round({})]);
    expect(violations).toEqual([]);
    expect(figures).toContainEqual(["  items deleted, by the feeds of their vaults", 10]);
  });

  it.each([
    ["an eleventh deletion", { acknowledged: 11, listed: 11 }, "11 items are deleted in the vaults, expected 10"],
    ["an eleventh deletion that nobody was told of", { listed: 11 }, "11 items are deleted in the vaults, expected 10"],
    ["a deletion that is lost", { listed: 9 }, "9 items are deleted in the vaults, expected 10"],
    ["a budget that is not used", { acknowledged: 9, listed: 9 }, "9 items are deleted in the vaults, expected 10"],
    [
      "another rejection",
      { rejected: { ok: false, reason: "VAULT_NOT_FOUND" } },
      "0 items have a rejection because of the budget, expected 54",
    ],
    [
      "another use in a rejection",
      { rejected: { ...exhausted, used: 9 } },
      "54 rejections do not say 10 of 10, expected 0",
    ],
    ["fewer calls", { items: 63 }, "63 items were asked for, expected 64"],
  ])("rejects %s", (_, wrong, violation) => {
    expect(judgeBudgets(round(wrong)).violations).toContain(`the delegation of code code: ${violation}`);
  });

  it("rejects a run without a deletion", () => {
    expect(judgeBudgets([]).violations).toEqual(["no deletion was made with a delegation"]);
  });
});
