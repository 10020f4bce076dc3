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

/** The values of several candidates, one of each key for every round. */
export interface Rounds<Name extends string, Key extends string> {
  summary(name: Name, key: Key): Summary;
  /** Summarizes the quotients of values from the same round. A slowdown of the machine affects both, so quotients vary less than values. */
  ratio(key: Key, numerator: Name, denominator: Name): Summary;
  /** Summarizes the differences of values from the same round. */
  difference(key: Key, one: Name, other: Name): Summary;
}

export type Measure<Key extends string> = (round: number) => Promise<Readonly<Record<Key, number>>>;

/** Measures each candidate once in every round, so that a slowdown of the machine affects all. Each round begins with another one. */
export async function interleave<Name extends string, Key extends string>(
  candidates: readonly (readonly [Name, Measure<Key>])[],
  rounds: number,
): Promise<Rounds<Name, Key>> {
  const measured = new Map(candidates.map(([name]) => [name, [] as Readonly<Record<Key, number>>[]]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % candidates.length;
    for (const [name, measure] of [...candidates.slice(first), ...candidates.slice(0, first)]) {
      measured.get(name)?.push(await measure(round));
    }
  }
  const valuesOf = (name: Name, key: Key) => (measured.get(name) ?? []).map((values) => values[key]);
  const compare = (key: Key, names: readonly [Name, Name], by: (one: number, other: number) => number) => {
    const others = valuesOf(names[1], key);
    return summarize(valuesOf(names[0], key).map((value, round) => by(value, others[round] ?? Number.NaN)));
  };
  return {
    summary: (name, key) => summarize(valuesOf(name, key)),
    ratio: (key, numerator, denominator) => compare(key, [numerator, denominator], (one, other) => one / other),
    difference: (key, ...names) => compare(key, names, (one, other) => one - other),
  };
}
