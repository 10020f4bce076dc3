/** A measured value at a time. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

/**
 * Returns the change of a value over the samples, by the Theil-Sen slope: the median of the slopes of all pairs. Unlike a
 * regression, it ignores up to 29 % of outliers, such as the moments before a garbage collection.
 */
export function growthOf(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError("There are no samples, so they have no slope.");
  const slopes = samples.flatMap((one, index) =>
    samples.slice(index + 1).map((other) => (other.value - one.value) / (other.at - one.at)),
  );
  return slopes.length === 0 ? 0 : median(slopes) * (last.at - first.at);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
