import { type Summary, summarize, summarizeRatio } from "./statistics.ts";

/** The values of several candidates, one of each key for every round. */
export interface Rounds<Name extends string, Key extends string> {
  summary(name: Name, key: Key): Summary;
  /** Summarizes the quotients of two candidates, each of values from the same round. */
  ratio(key: Key, numerator: Name, denominator: Name): Summary;
}

/** Measures one candidate in one round. Rounds are numbered from 0. */
export type Measure<Key extends string> = (round: number) => Promise<Readonly<Record<Key, number>>>;

/**
 * Measures each candidate once in every round, so that a temporary slowdown of the machine affects all of them. Each round begins
 * with another candidate.
 */
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
  return {
    summary: (name, key) => summarize(valuesOf(name, key)),
    ratio: (key, numerator, denominator) => summarizeRatio(valuesOf(numerator, key), valuesOf(denominator, key)),
  };
}
