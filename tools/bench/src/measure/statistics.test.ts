import { describe, expect, it } from "vitest";
import { interleave } from "./interleave.ts";
import { areaUnderCurve, quantile, summarize, summarizeRatio } from "./statistics.ts";

describe("a summary is the median and the quartiles", () => {
  it.each([
    ["one value", [7], { median: 7, low: 7, high: 7 }],
    ["an odd number", [5, 1, 3, 2, 4], { median: 3, low: 2, high: 4 }],
    ["an even number: between the two in the middle", [4, 1, 3, 2], { median: 2.5, low: 1.75, high: 3.25 }],
    ["an outlier does not move them", [1, 2, 3, 4, 1e9], { median: 3, low: 2, high: 4 }],
  ])("%s", (_case, values, summary) => {
    expect(summarize(values)).toEqual(summary);
  });

  it("an empty list of values has none, and is an error", () => {
    expect(() => summarize([])).toThrow(RangeError);
  });
});

it("the 99th percentile is near the end of the sorted values", () => {
  expect(
    quantile(
      Float64Array.from({ length: 101 }, (_, index) => index),
      0.99,
    ),
  ).toBe(99);
});

it("a ratio is taken in each round, so a round on a busy machine does not change it", () => {
  expect(summarizeRatio([2, 20, 4], [1, 10, 2])).toEqual({ median: 2, low: 2, high: 2 });
});

describe("rounds", () => {
  it("measure every candidate once, each round in another order", async () => {
    const log: string[] = [];
    const candidate = (name: string) =>
      [
        name,
        async (round: number) => {
          log.push(name + round);
          return { rate: round };
        },
      ] as const;
    const measured = await interleave([candidate("a"), candidate("b"), candidate("c")], 3);
    expect(log.join(" ")).toBe("a0 b0 c0 b1 c1 a1 c2 a2 b2");
    expect(measured.summary("b", "rate")).toEqual({ median: 1, low: 0.5, high: 1.5 });
  });

  it("compare the values of the same round", async () => {
    const measured = await interleave(
      [
        ["slow", async (round) => ({ cpu: 30 * (round + 1) })],
        ["fast", async (round) => ({ cpu: 10 * (round + 1) })],
      ] as const,
      3,
    );
    expect(measured.ratio("cpu", "slow", "fast")).toEqual({ median: 3, low: 3, high: 3 });
  });
});

describe("the area under the curve", () => {
  it.each([
    ["equal values", [1, 2, 3], [1, 2, 3], 0.5],
    ["every value of the first is larger", [4, 5], [1, 2, 3], 1],
    ["every value of the first is smaller", [1, 2], [3, 4], 0],
    ["ties count half", [1, 2], [1, 1], 0.75],
  ])("%s", (_case, one, other, area) => {
    expect(areaUnderCurve(one, other)).toBe(area);
  });
});
