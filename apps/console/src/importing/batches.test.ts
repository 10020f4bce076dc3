import { limits } from "@platform-rpc/items/item-content";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { batchesOf } from "./batches.js";

it("a call has at most 100 items and 1 MiB, and every item is in one, in their order", () => {
  const sizes = fc.array(fc.nat({ max: limits.bytes }), { maxLength: 250 });
  fc.assert(
    fc.property(sizes, (all) => {
      const items = all.map((size, index) => {
        return { itemId: String(index), baseVersion: 0, kind: "login", title: "", text: "x".repeat(size) };
      });
      const batches = batchesOf(items);
      expect(batches.flat()).toEqual(items);
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(100);
        const bytes = batch.reduce((sum, { text }) => sum + (text.length * 4) / 3 + 1_000, 0);
        expect(bytes).toBeLessThan(1024 * 1024);
      }
    }),
    { numRuns: 30 },
  );
});
