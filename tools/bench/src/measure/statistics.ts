/** The median of measured values, and their quartiles: half of the values lie between `low` and `high`. */
export interface Summary {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function summarize(values: readonly number[]): Summary {
  const sorted = Float64Array.from(values).sort();
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** Returns the quantile of sorted values, with `share` between 0 and 1. Interpolates between neighbours. */
export function quantile(sorted: Float64Array, share: number): number {
  const last = sorted.length - 1;
  if (last < 0) throw new RangeError("No values were measured, so they have no quantile.");
  const at = last * share;
  const [below = 0, above = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}

/**
 * Divides the values that were measured in the same rounds, and summarizes the quotients. A temporary slowdown of the machine
 * affects both values of a round, so the quotients vary less than the values.
 */
export function summarizeRatio(numerators: readonly number[], denominators: readonly number[]): Summary {
  return summarize(numerators.map((value, round) => value / (denominators[round] ?? Number.NaN)));
}

/** Returns the probability that a value of `one` exceeds a value of `other` (Mann-Whitney). 0.5: no difference. */
export function areaUnderCurve(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, own: true })), ...other.map((value) => ({ value, own: false }))];
  all.sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let at = 0; at < all.length; ) {
    let end = at;
    while (end < all.length && all[end]?.value === all[at]?.value) end += 1;
    // Equal values share the mean of their ranks.
    const rank = (at + 1 + end) / 2;
    ranks += rank * all.slice(at, end).filter(({ own }) => own).length;
    at = end;
  }
  return (ranks - (one.length * (one.length + 1)) / 2) / (one.length * other.length);
}
