import { aims } from "./aims.ts";
import { alignedTable } from "./format.ts";
import { betterRatios, type Comparison, compareRatios, fallen, type Ratios, ratiosOf } from "./ratios.ts";
import type { BenchResult } from "./result.ts";

/** The largest number of runs of a benchmark. */
const attempts = 3;

/**
 * Runs a benchmark and compares its ratios with the recorded ones. If one has fallen, the benchmark runs again, and the better
 * result of each ratio counts: noise rarely repeats, but a regression does.
 */
export async function checkRatios(run: () => Promise<BenchResult>, recorded: Ratios): Promise<Comparison[]> {
  let best = ratiosOf([await run()]);
  for (let attempt = 1; attempt < attempts && fallen(compareRatios(recorded, best)).length > 0; attempt += 1) {
    best = betterRatios(best, ratiosOf([await run()]));
  }
  return compareRatios(recorded, best);
}

export function comparisonTable(comparisons: readonly Comparison[]): string {
  return alignedTable(
    ["ratio", "by", "recorded", "measured", "change"],
    comparisons.map(({ id, recorded, measured, change }) => [
      aims[id].what,
      aims[id].by,
      recorded.toFixed(2),
      measured.toFixed(2),
      `${change < 0 ? "" : "+"}${(change * 100).toFixed(0)} %`,
    ]),
  );
}
