import type { Summary } from "../measure/statistics.ts";
import type { AimId } from "./aims.ts";

/** How much is measured. The short form is for CI: see `checkRatios`. */
export type Effort = "full" | "short";

/** One bar of a chart. */
export interface Bar {
  readonly title: string;
  readonly value: Summary;
  /** Whether it is one of ours. */
  readonly own: boolean;
}

/** Bars with a common scale. */
export interface Chart {
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** What a benchmark has measured. */
export interface BenchResult {
  readonly title: string;
  /** What was measured, and how. */
  readonly method: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly measured: readonly (readonly [AimId, Summary])[];
  /** Default: the benchmark is not in the chart. */
  readonly chart?: Chart;
}
