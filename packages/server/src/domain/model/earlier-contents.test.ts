import { describe, expect, it } from "vitest";
import { contentOf, itemRef } from "../../testing/storage-suite/fixture.js";
import { type EarlierContent, earlierBounds, readEarlier, storedEarlier, withReplaced } from "./earlier-contents.js";

const { milliseconds: year } = earlierBounds;
const now = 2 * year;

/** Returns a content that was replaced at a time. */
function replaced(version: number, replacedAt = now - 1, mark = "a"): EarlierContent {
  return { version, updatedAt: 0, replacedAt, ...contentOf(mark) };
}

/** Returns versions in descending order. */
function versions(from: number, to: number): readonly number[] {
  return Array.from({ length: from - to + 1 }, (_, index) => from - index);
}

describe("the earlier contents of an item, when its version 30 is replaced", () => {
  const item = {
    ...itemRef("item-1"),
    version: 30,
    updatedAt: 5,
    state: "live",
    shredAt: undefined,
    sequence: 1,
  } as const;
  // It is in six members.
  const large = "c".repeat(7_000);

  it.each<[title: string, before: readonly EarlierContent[], kept: readonly number[]]>([
    ["begin with the replaced one", [], [30]],
    ["are at most 20", versions(29, 10).map((version) => replaced(version)), versions(30, 11)],
    ["are kept for less than a year", [replaced(2, now - year + 1), replaced(1, now - year)], [30, 2]],
    ["have at most 90,000 bytes", [3, 2, 1].map((version) => replaced(version, now - 1, large)), [30, 3, 2]],
    ["lose the older ones of one that is too large", [replaced(2, now, "c".repeat(50_000)), replaced(1)], [30]],
  ])("%s", (_, before, kept) => {
    const replacedItem = { ...item, content: () => contentOf("b"), earlier: () => JSON.stringify(before) };
    const stored = withReplaced(replacedItem, contentOf("c"), now, now);
    const contents = readEarlier(stored, now);
    expect(contents.map(({ version }) => version)).toEqual(kept);
    expect(contents[0]).toEqual({ version: 30, updatedAt: 5, replacedAt: now, ...contentOf("b") });
  });

  it("are kept unchanged by 22 changes with an equal content", () => {
    let stored = JSON.stringify([replaced(2), replaced(1)]);
    const same = { ...item, content: () => contentOf("b"), earlier: () => stored };
    for (let put = 0; put < 22; put += 1) stored = withReplaced(same, contentOf("b"), now, now);
    expect(readEarlier(stored, now)).toEqual([replaced(2), replaced(1)]);
  });

  it("are not listed after a year, also if the item was not changed since", () => {
    const stored = storedEarlier([replaced(2, now), replaced(1, now - 1)]);
    expect(readEarlier(stored, now + year - 1).map(({ version }) => version)).toEqual([2]);
    expect(readEarlier(stored, now + year)).toEqual([]);
  });
});
