import type { Summary } from "../load/rounds.ts";
import { type Aim, type AimId, aims, reaches } from "./aims.ts";

/** How much is measured. The short form is for CI: see `checkRatios`. */
export type Effort = "full" | "short";

export interface Bar {
  readonly title: string;
  readonly value: Summary;
  readonly own: boolean;
}

export interface Chart {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface BenchResult {
  readonly title: string;
  readonly method: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly measured: readonly (readonly [AimId, Summary])[];
  /** Default: the benchmark is not in the chart. */
  readonly chart?: Chart;
}

/** Formats a median and its quartiles, such as "17.3 (16.9–18.0)". */
export function withSpread({ median, low, high }: Summary, digits: number): string {
  return `${withDigits(median, digits)} (${withDigits(low, digits)}–${withDigits(high, digits)})`;
}

/** Formats a number with a space between thousands. */
export function withDigits(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
}

export const aimColumns = ["what", "by", "aim", "measured", "reached"] as const;

export function aimRows(results: readonly BenchResult[]): string[][] {
  return results.flatMap(({ measured }) =>
    measured.map(([id, summary]) => {
      const aim: Aim = aims[id];
      const unit = aim.unit === "" ? "" : ` ${aim.unit}`;
      const reached = reaches(aim, summary.median);
      return [
        aim.what,
        aim.by,
        aim.bound === undefined ? "–" : boundText(aim.bound, unit),
        `${withSpread(summary, digitsOf(aim, summary))}${unit}`,
        reached === undefined ? "–" : reached ? "yes" : "no",
      ];
    }),
  );
}

function digitsOf({ unit }: Aim, { median }: Summary): number {
  if (unit === "") return 2;
  return median < 100 ? 1 : 0;
}

function boundText(bound: NonNullable<Aim["bound"]>, unit: string): string {
  const text = "atLeast" in bound ? `≥ ${bound.atLeast}${unit}` : `≤ ${bound.atMost}${unit}`;
  return bound.limit === undefined ? text : `${text}, [a limit](internals/performance-history.md#${bound.limit})`;
}

export function alignedTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, at) => Math.max(column.length, ...rows.map((row) => row[at]?.length ?? 0)));
  return [columns, ...rows]
    .map((row) => `  ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd())
    .join("\n");
}

export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(columns), `|${columns.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}
