import { describe, expect, it } from "vitest";
import { createDeletionRequests, deletionAt } from "./deletions.ts";

describe.each([1_000, 15_424, 1_000_000])("with %d items", (items) => {
  it("every item is deleted once before any is deleted again", () => {
    const deleted = new Set(Array.from({ length: items }, (_, index) => deletionAt(index, items).itemId));
    expect(deleted.size).toBe(items);
  });

  it("a deletion and its restoration each add a version", () => {
    const first = deletionAt(7, items);
    expect(first.baseVersion).toBe(1);
    expect(deletionAt(7 + 2 * items, items)).toEqual({ ...first, baseVersion: 5 });
  });
});

it("the requests are those of successive deletions", () => {
  const next = createDeletionRequests(1_000, "t");
  next();
  expect(next().toString()).toMatch(/\r\n\r\n\{"vaultId":"vault-97","itemId":"item-997","baseVersion":1\}$/);
});
