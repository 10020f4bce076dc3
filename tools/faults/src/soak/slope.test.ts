import fc from "fast-check";
import { expect, it } from "vitest";
import { growthOf, quantile } from "./slope.ts";

const samplesOf = (values: readonly number[]) => values.map((value, at) => ({ at, value }));

it("the growth of a line is the difference of its ends", () => {
  const line = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 2, max: 40 }));
  fc.assert(
    fc.property(line, ([slope, length]) => {
      const samples = samplesOf(Array.from({ length }, (_, at) => 1000 + slope * at));
      expect(growthOf(samples)).toBeCloseTo(slope * (length - 1));
    }),
  );
});

it("peaks in a quarter of the samples do not change the growth", () => {
  const samples = samplesOf(Array.from({ length: 100 }, (_, at) => (at % 4 === 0 ? 900 : 100)));
  expect(growthOf(samples)).toBe(0);
});

it("the 99th percentile of a hundred values is the largest", () => {
  expect(
    quantile(
      samplesOf(Array.from({ length: 100 }, (_, at) => at)).map(({ value }) => value),
      0.99,
    ),
  ).toBe(99);
});
