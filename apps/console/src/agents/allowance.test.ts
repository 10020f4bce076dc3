import { describe, expect, it } from "vitest";
import type { Agent, Bounds } from "./agents.js";
import { allowanceInWords, dayInWords } from "./allowance.js";

/** A Tuesday, at noon in the time zone of the test. */
const now = new Date(2026, 10, 24, 12).getTime();
const at = (day: number, hours = 18, month = 10, year = 2026) => new Date(year, month, day, hours, 30).toISOString();

const all = ["read", "write", "delete", "restore"];
const scopesOf = (actions: readonly string[]): Agent["scopes"] =>
  actions.map((action) => ({ scope: `vault.items:${action}`, words: "" }));

const sentence = (bounds: Bounds | undefined, deletions = 0, actions = all, endsAt = at(27)) =>
  allowanceInWords({ scopes: scopesOf(actions), endsAt, ...(bounds && { bounds, used: { deletions, uses: 3 } }) }, now)
    .map(({ text }) => text)
    .join("");

describe("what software may still do", () => {
  it.each<[string, Bounds | undefined, number?, string[]?]>([
    [
      "Can read, change, and restore items, and delete 7 more (of 25), in Personal, until Friday.",
      { vaults: ["Personal"], maxDeletions: 25 },
      18,
    ],
    ["Can delete 1 more item (of 2) in a, until Friday.", { vaults: ["a"], maxDeletions: 2 }, 1, ["delete"]],
    [
      "Can read items, and delete no more (of 2), in a and b, until Friday.",
      { vaults: ["a", "b"], maxDeletions: 2 },
      5,
      ["read", "delete"],
    ],
    [
      "Can delete and restore items in a, b, and c, until Friday.",
      { vaults: ["a", "b", "c"], actions: ["restore", "delete"] },
      5,
    ],
    ["Can read, change, delete, and restore items in all your vaults, until Friday.", undefined],
    ["Can read items in all your vaults, until Friday.", { maxDeletions: 3 }, 0, ["read"]],
    [
      "Can read items, delete 7 more (of 9), and use them 47 more times (of 50), without seeing them, in a, until Friday.",
      { vaults: ["a"], maxDeletions: 9, maxUses: 50 },
      2,
      ["read", "delete", "use"],
    ],
    [
      "Can ask you to use items 1 more time (of 4) at a.example and b.example, without seeing them, in a, until Friday.",
      { vaults: ["a"], maxUses: 4, hosts: ["a.example", "b.example"], asksEachTime: true },
      0,
      ["use"],
    ],
    ["Can use items without seeing them, in all your vaults, until Friday.", {}, 0, ["use"]],
    ["Nothing in your vaults, until Friday.", { actions: [] }],
    ["Nothing: you allow it no vault, until Friday.", { vaults: [], maxDeletions: 3 }],
  ])("%s", (expected, bounds, deletions, actions) => {
    expect(sentence(bounds, deletions, actions)).toBe(expected);
  });

  it("is nothing when the time is over", () => {
    const over = new Date(now).toISOString();
    expect(sentence({ maxDeletions: 3, expiresAt: over }, 0, all, over)).toBe("Nothing: its time is over.");
  });
});

describe("a later time in words", () => {
  it.each([
    [at(24), "6:30 PM today"],
    [at(25, 0), "12:30 AM tomorrow"],
    [at(26, 0), "Thursday"],
    [at(1, 18, 11), "December 1"],
    [at(3, 18, 0, 2027), "January 3, 2027"],
  ])("%s is %s", (time, expected) => {
    expect(dayInWords(time, now).replace("\u202f", " ")).toBe(expected);
  });
});
