import { aimColumns, aimRows, alignedTable } from "./format.ts";
import type { BenchResult } from "./result.ts";

export function printResult(result: BenchResult): void {
  console.log(`\n${result.title}\n\n${result.method}\n\n${alignedTable(result.columns, result.rows)}`);
  if (result.measured.length > 0) console.log(`\n${alignedTable(aimColumns, aimRows([result]))}`);
}
