import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linearScale, timeTicks, valueText, valueTicks } from "./scale.js";
import { type CallsPoint, pathOf, refusalsOf, sizeOverTime, timeInId } from "./series.js";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe("the ticks of values", () => {
  it.each([
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
    [1, [0, 0.5, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [0.03, [0, 0.01, 0.02, 0.03]],
    [1234, [0, 500, 1000, 1500]],
  ])("up to %d are %j", (largest, ticks) => {
    expect(valueTicks(largest)).toEqual(ticks);
  });

  it("begin with 0, contain the largest value, and are few, whatever it is", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (largest) => {
        const ticks = valueTicks(largest);
        expect(ticks[0]).toBe(0);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(largest * (1 - 1e-6));
        expect(ticks.length).toBeLessThanOrEqual(6);
      }),
    );
  });

  it.each([
    [0, "0"],
    [1500, "1.5K"],
    [0.1234, "0.123"],
  ])("%d is written as %s", (value, text) => {
    expect(valueText(value)).toBe(text);
  });
});

describe("the ticks of times", () => {
  it("are full minutes, hours or days", () => {
    expect(timeTicks(1, hour)).toEqual([10, 20, 30, 40, 50, 60].map((n) => n * minute));
    expect(timeTicks(0, day)).toEqual([0, 6, 12, 18, 24].map((n) => n * hour));
    expect(timeTicks(0, 30 * day)).toEqual([0, 5, 10, 15, 20, 25, 30].map((n) => n * day));
  });

  it("are full days in the time zone", () => {
    expect(timeTicks(0, 3 * day, 3, 2 * hour)).toEqual([22, 46, 70].map((n) => n * hour));
  });

  it("are within the period, in order, and few", () => {
    const period = fc.tuple(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 0, max: 1e12 }));
    fc.assert(
      fc.property(period, ([from, length]) => {
        const ticks = timeTicks(from, from + length);
        expect(ticks.length).toBeLessThanOrEqual(7);
        expect(ticks.every((tick, n) => tick >= from && tick <= from + length && tick > (ticks[n - 1] ?? -1))).toBe(
          true,
        );
      }),
    );
  });
});

describe("a scale", () => {
  it("maps linearly, also downwards, and a domain without extent to the start", () => {
    expect([0, 5, 10].map(linearScale([0, 10], [100, 0]))).toEqual([100, 50, 0]);
    expect(linearScale([3, 3], [7, 9])(3)).toBe(7);
  });
});

describe("the path of a line", () => {
  it("has gaps for missing values, and a dot for a value between two gaps", () => {
    expect(
      pathOf([
        [0, 1],
        [1, 2],
        [2, undefined],
        [3, 4],
        [4, undefined],
      ]),
    ).toBe("M0.0 1.0h0L1.0 2.0M3.0 4.0h0");
  });

  it("has steps where values stay until the next one", () => {
    expect(
      pathOf(
        [
          [0, 1],
          [5, 2],
        ],
        true,
      ),
    ).toBe("M0.0 1.0h0L5.0 1.0L5.0 2.0");
  });
});

describe("refusals by reason", () => {
  it("are lines for the most frequent ones, and one for all others", () => {
    const point = (refusals: Record<string, number>): CallsPoint => ({ at: "", deletions: 0, exchanges: 0, refusals });
    const series = refusalsOf([point({ A: 9, B: 8, C: 7, D: 6, E: 5, F: 4 }), point({ A: 1, F: 1 })]);
    expect(series.map(({ name, values }) => [name, ...values])).toEqual([
      ["A", 9, 1],
      ["B", 8, 0],
      ["C", 7, 0],
      ["D", 6, 0],
      ["Other reasons", 9, 1],
    ]);
    expect(refusalsOf([point({})])).toEqual([]);
  });
});

describe("the size of a vault", () => {
  const item = (itemId: string, changed: number, deleted = false) => ({
    itemId,
    deleted,
    updatedAt: timestampFromMs(changed),
  });

  it("counts an item from its creation or first known change, until its deletion", () => {
    const created = "00000000-03e8-7000-8000-000000000000";
    expect(timeInId(created)).toBe(1000);
    expect(sizeOverTime([item(created, 9000, true), item("note", 4000), item("gone", 6000, true)])).toEqual([
      { at: 1000, items: 1 },
      { at: 4000, items: 2 },
      { at: 6000, items: 2 },
      { at: 9000, items: 1 },
    ]);
    expect(sizeOverTime([])).toEqual([]);
  });

  it.each(["note", "0192f0c1-2222-4000-8000-000000000000", ""])("%j contains no time", (id) => {
    expect(timeInId(id)).toBeUndefined();
  });
});
