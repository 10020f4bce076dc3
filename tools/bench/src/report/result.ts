import type { Summary } from "../measure/statistics.ts";
import type { AimId } from "./aims.ts";

/** How much is measured. The short form is for CI: see `pnpm bench --short`. */
export type Effort = "full" | "short";

/** One bar of the chart. */
export interface Bar {
  readonly title: string;
  readonly value: Summary;
  /** Whether it is one of ours. */
  readonly own: boolean;
}

/** What a benchmark has measured. */
export interface BenchResult {
  readonly title: string;
  /** What was measured, and how. */
  readonly method: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly measured: readonly (readonly [AimId, Summary])[];
  /** Bars of the chart of CPU time per request, if the benchmark is in it. */
  readonly bars?: readonly Bar[];
}
