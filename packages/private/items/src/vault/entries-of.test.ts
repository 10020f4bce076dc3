import { describe, expect, it } from "vitest";
import { entriesOf, type Page } from "./entries-of.js";

/** Reads a list to its end. Returns the number of its entries and pages. */
async function readAll<Position extends string | number>(
  start: Position,
  load: (position: Position) => Page<number, Position>,
) {
  let pages = 0;
  let entries = 0;
  const read = async () => {
    for await (const _ of entriesOf<number, Position>(start, Error, async (position) => {
      pages += 1;
      return load(position);
    })) {
      entries += 1;
    }
  };
  return { ended: await read().catch((error: Error) => error.message), pages, entries };
}

describe("the entries of a list", () => {
  it.each([
    ["the same position at once", (n: number) => n],
    ["a position of an earlier page", (n: number) => (n === 3 ? 1 : n + 1)],
  ])("end with an error after %s", async (_, next) => {
    const { ended, pages } = await readAll<number>(0, (n) => ({ entries: [n], next: next(n) }));
    expect(ended).toBe(
      "The list of the server does not end: it sent the same position twice. Ask the operator of the server.",
    );
    expect(pages).toBeLessThan(5);
  });

  it("end with an error after 10 000 pages, also if they are empty", async () => {
    const { ended, pages } = await readAll<number>(0, (n) => ({ entries: [], next: n + 1 }));
    expect([ended, pages]).toEqual([expect.stringContaining("it has more than 10000 pages"), 10_000]);
  });

  it("end with an error after a million entries", async () => {
    const page = Array.from({ length: 100_000 }, (_, n) => n);
    const { ended, entries } = await readAll<number>(0, (n) => ({ entries: page, next: n + 1 }));
    expect([ended, entries]).toEqual([expect.stringContaining("it has more than 1000000 entries"), 1_000_000]);
  });
});
