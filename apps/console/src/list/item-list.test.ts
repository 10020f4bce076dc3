import * as fc from "fast-check";
import { expect, it } from "vitest";
import { rangeAt, rowHeight } from "./item-list.js";

it("the rows that are elements contain every visible row and 10 more below, and few others", () => {
  const places = fc.record({ top: fc.nat({ max: 5_000_000 }), height: fc.nat({ max: 3000 }) });
  fc.assert(
    fc.property(places, ({ top, height }) => {
      const { first, end } = rangeAt({ top, height });
      const [firstVisible, lastVisible] = [Math.floor(top / rowHeight), Math.floor((top + height) / rowHeight)];
      expect(first).toBeLessThanOrEqual(Math.max(0, firstVisible - 10));
      expect(end).toBeGreaterThan(lastVisible + 9);
      expect(end - first).toBeLessThanOrEqual(height / rowHeight + 31);
    }),
  );
});
