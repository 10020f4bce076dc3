import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderCharts } from "./chart.ts";
import { describeMachine } from "./machine.ts";
import { renderPage } from "./page.ts";
import { type Ratios, ratiosOf } from "./ratios.ts";
import type { BenchResult } from "./result.ts";

const docs = new URL("../../../../docs/", import.meta.url);
const ratios = new URL("../../ratios.json", import.meta.url);
const writeFigures = new URL("../../../docs/src/write-figures.ts", import.meta.url);

/** Writes docs/benchmarks.md and its chart, and the figures of the other pages that come from it. */
export function writePage(results: readonly BenchResult[]): void {
  writeFileSync(new URL("benchmarks.md", docs), renderPage(describeMachine(), results));
  writeFileSync(new URL("benchmarks.svg", docs), renderCharts(results.flatMap(({ chart }) => chart ?? [])));
  execFileSync(process.execPath, [fileURLToPath(writeFigures)]);
}

/** Records the ratios of the short form, with which `pnpm bench --short` compares. */
export function recordRatios(results: readonly BenchResult[]): void {
  writeFileSync(ratios, `${JSON.stringify(ratiosOf(results), null, 2)}\n`);
}

export function readRecordedRatios(): Ratios {
  return JSON.parse(readFileSync(ratios, "utf8"));
}
