import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../testing/fake-clock.js";
import { createUuidV7 } from "./uuid-v7.js";

const timestampOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

describe("UUIDv7 (RFC 9562 section 5.7)", () => {
  it("has version 7, the variant 10 and the clock's milliseconds in its first 48 bits", () => {
    // The time of the example in RFC 9562 appendix A.6.
    const newId = createUuidV7({ clock: fakeClock(0x017f22e279b0) });
    for (let n = 0; n < 100; n += 1)
      expect(newId()).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("increases with every id, whatever the clock does (section 6.2)", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 300 }), (steps) => {
        const clock = fakeClock();
        const newId = createUuidV7({ clock });
        const ids = steps.map((step) => {
          clock.advance(step);
          return newId();
        });
        expect(ids).toEqual([...new Set(ids)].sort());
      }),
    );
  });

  it("runs ahead of a stopped clock by a millisecond for each exhausted counter", () => {
    const clock = fakeClock();
    const newId = createUuidV7({ clock });
    const ids = Array.from({ length: 10_000 }, newId);
    expect(ids).toEqual([...new Set(ids)].sort());
    // A counter has room for 2048 to 4096 ids.
    const ahead = timestampOf(ids.at(-1) ?? "") - clock.now();
    expect(ahead).toBeGreaterThanOrEqual(2);
    expect(ahead).toBeLessThanOrEqual(4);
  });

  it("has 62 random bits in each id", () => {
    const newId = createUuidV7({ clock: fakeClock() });
    const tails = Array.from({ length: 2000 }, () => BigInt(`0x${newId().slice(19).replace("-", "")}`));
    for (let bit = 0n; bit < 62n; bit += 1n) {
      const ones = tails.filter((tail) => ((tail >> bit) & 1n) === 1n).length;
      // Eight standard deviations from the mean, 1000.
      expect(Math.abs(ones - 1000)).toBeLessThan(180);
    }
  });
});
