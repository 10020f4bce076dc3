import { describe, expect, it } from "vitest";
import { type AimId, aims } from "./aims.ts";
import { checkRatios, comparisonTable } from "./check-ratios.ts";
import { readRecordedRatios } from "./files.ts";
import { betterRatios, compareRatios, fallen, isAimId, ratiosOf } from "./ratios.ts";
import type { BenchResult } from "./result.ts";

/** Returns a result with the medians of some ratios. */
function resultWith(medians: Partial<Record<AimId, number>>): BenchResult {
  const measured = Object.entries(medians).flatMap(([id, median]) =>
    isAimId(id) ? [[id, { median, low: 0, high: 9 }] as const] : [],
  );
  return { title: "", method: "", columns: [], rows: [], measured };
}

describe("a ratio has fallen if it is more than 15 % worse than recorded", () => {
  it.each([
    ["equal", { fixedCpu: 0.8 }, { fixedCpu: 0.8 }, []],
    ["better", { fixedCpu: 0.8 }, { fixedCpu: 0.9 }, []],
    ["14 % less", { fixedCpu: 1 }, { fixedCpu: 0.86 }, []],
    ["16 % less", { fixedCpu: 1 }, { fixedCpu: 0.84 }, ["fixedCpu"]],
    ["one of two", { fixedCpu: 1, stockCpu: 5 }, { fixedCpu: 1, stockCpu: 4 }, ["stockCpu"]],
    ["less is better, and it is 14 % more", { clientJson: 1 }, { clientJson: 1.14 }, []],
    ["less is better, and it is 20 % more", { clientJson: 1 }, { clientJson: 1.2 }, ["clientJson"]],
    ["less is better, and it is half", { clientJson: 1 }, { clientJson: 0.5 }, []],
  ])("%s", (_case, recorded, measured, ids) => {
    expect(fallen(compareRatios(recorded, measured)).map(({ id }) => id)).toEqual(ids);
  });

  it("an unrecorded ratio is an error whose message says how to record it", () => {
    expect(() => compareRatios({}, { fixedCpu: 1 })).toThrow("pnpm bench --short --record");
  });
});

it("only ratios of CPU times are compared", () => {
  expect(ratiosOf([resultWith({ fixedRate: 0.9, fixedCpu: 0.81234, deleteP99: 7 })])).toEqual({ fixedCpu: 0.812 });
});

it("the better of two ratios counts, whichever direction is better", () => {
  expect(betterRatios({ fixedCpu: 0.7, clientJson: 1.5 }, { fixedCpu: 0.8, clientJson: 1.2, stockCpu: 4 })).toEqual({
    fixedCpu: 0.8,
    clientJson: 1.2,
    stockCpu: 4,
  });
  expect(betterRatios({ fixedCpu: 0.8, clientJson: 1.2 }, { fixedCpu: 0.7, clientJson: 1.5 })).toEqual({
    fixedCpu: 0.8,
    clientJson: 1.2,
  });
});

describe("a benchmark runs up to three times", () => {
  const recorded = { fixedCpu: 1, platformCpu: 1 };
  const good = { fixedCpu: 1, platformCpu: 1 };
  const slow = { fixedCpu: 0.8, platformCpu: 1 };

  it.each([
    ["once if no ratio has fallen", [good], 1, []],
    ["again if one has fallen", [slow, good], 2, []],
    ["each ratio must be good in one run, not all in the same", [slow, { fixedCpu: 0.9, platformCpu: 0.5 }], 2, []],
    ["at most three times", [slow, slow, slow, good], 3, ["fixedCpu"]],
  ])("%s", async (_case, runs, count, lost) => {
    let done = 0;
    const run = async () => resultWith(runs[done++] ?? {});
    const comparisons = await checkRatios(run, recorded);
    expect(done).toBe(count);
    expect(fallen(comparisons).map(({ id }) => id)).toEqual(lost);
  });
});

it("the table shows the change in percent", () => {
  const table = comparisonTable(compareRatios({ fixedCpu: 1, clientJson: 1 }, { fixedCpu: 0.8, clientJson: 0.8 }));
  expect(table).toMatch(/: bare node:http +CPU per request +1\.00 +0\.80 +-20 %$/m);
  expect(table).toMatch(/plain `fetch` +CPU per call +1\.00 +0\.80 +\+25 %$/m);
});

it("every steady ratio is recorded, and no other", () => {
  const steady = Object.keys(aims).filter((id) => isAimId(id) && aims[id].steady);
  expect(Object.keys(readRecordedRatios()).sort()).toEqual(steady.sort());
});
