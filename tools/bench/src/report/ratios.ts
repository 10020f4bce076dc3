import { readFileSync, writeFileSync } from "node:fs";
import { type Aim, type AimId, aims } from "./aims.ts";
import { alignedTable, type BenchResult } from "./format.ts";

const file = new URL("../../ratios.json", import.meta.url);

type Ratios = Partial<Readonly<Record<AimId, number>>>;

/** `pnpm bench --short` fails if a ratio is worse than recorded by more than this share. */
export const tolerance = 0.15;

const attempts = 3;

interface Comparison {
  readonly id: AimId;
  readonly recorded: number;
  readonly measured: number;
  /** -0.2: 20 % worse than recorded. */
  readonly change: number;
}

function ratiosOf(results: readonly BenchResult[]): Ratios {
  const steady = results.flatMap(({ measured }) => measured.filter(([id]) => aims[id].steady));
  return Object.fromEntries(steady.map(([id, { median }]) => [id, Math.round(median * 1000) / 1000]));
}

/** Compares ratios with recorded ones. @throws Error when one is not recorded. */
function compareRatios(recorded: Ratios, measured: Ratios): Comparison[] {
  return idsOf(measured).map((id) => {
    const [before, now] = [recorded[id], measured[id]];
    if (before === undefined || now === undefined)
      throw new Error(`No ratio of ${id} is recorded. Record it with \`pnpm bench --short --record\`.`);
    return { id, recorded: before, measured: now, change: quality(id, now) / quality(id, before) - 1 };
  });
}

function betterRatios(some: Ratios, others: Ratios): Ratios {
  const better = idsOf(others).filter((id) => isBetter(id, others[id], some[id]));
  return { ...some, ...Object.fromEntries(better.map((id) => [id, others[id]])) };
}

export function fallen(comparisons: readonly Comparison[]): Comparison[] {
  return comparisons.filter(({ change }) => change < -tolerance);
}

function isAimId(id: string): id is AimId {
  return Object.hasOwn(aims, id);
}

function idsOf(ratios: Ratios): AimId[] {
  return Object.keys(ratios).filter(isAimId);
}

function isBetter(id: AimId, one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && (other === undefined || quality(id, one) > quality(id, other));
}

/** Returns a number that is larger for a better ratio, and proportional to it. */
function quality(id: AimId, ratio: number): number {
  const { bound }: Aim = aims[id];
  return bound !== undefined && "atMost" in bound ? 1 / ratio : ratio;
}

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

export function recordRatios(results: readonly BenchResult[]): void {
  writeFileSync(file, `${JSON.stringify(ratiosOf(results), null, 2)}\n`);
}

export function readRecordedRatios(): Ratios {
  return JSON.parse(readFileSync(file, "utf8"));
}
