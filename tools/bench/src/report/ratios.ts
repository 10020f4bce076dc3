import { type Aim, type AimId, aims } from "./aims.ts";
import type { BenchResult } from "./result.ts";

/** The medians of steady ratios. */
export type Ratios = Partial<Readonly<Record<AimId, number>>>;

/** `pnpm bench --short` fails if a ratio is worse than recorded by more than this share. */
export const tolerance = 0.15;

/** A measured ratio, compared with the recorded one. */
export interface Comparison {
  readonly id: AimId;
  readonly recorded: number;
  readonly measured: number;
  /** -0.2: 20 % worse than recorded. */
  readonly change: number;
}

/** Returns the steady ratios of results, rounded as they are recorded. */
export function ratiosOf(results: readonly BenchResult[]): Ratios {
  const steady = results.flatMap(({ measured }) => measured.filter(([id]) => aims[id].steady));
  return Object.fromEntries(steady.map(([id, { median }]) => [id, Math.round(median * 1000) / 1000]));
}

/** Compares ratios with recorded ones. @throws Error when one is not recorded. */
export function compareRatios(recorded: Ratios, measured: Ratios): Comparison[] {
  return idsOf(measured).map((id) => {
    const [before, now] = [recorded[id], measured[id]];
    if (before === undefined || now === undefined)
      throw new Error(`No ratio of ${id} is recorded. Record it with \`pnpm bench --short --record\`.`);
    return { id, recorded: before, measured: now, change: quality(id, now) / quality(id, before) - 1 };
  });
}

/** Returns the better of the two ratios of each id. */
export function betterRatios(some: Ratios, others: Ratios): Ratios {
  const better = idsOf(others).filter((id) => isBetter(id, others[id], some[id]));
  return { ...some, ...Object.fromEntries(better.map((id) => [id, others[id]])) };
}

/** Returns the comparisons of ratios that are worse than recorded by more than the tolerance. */
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
