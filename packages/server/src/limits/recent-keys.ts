/** Remembers something of the keys that were set lately. */
export interface RecentKeys<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/**
 * Remembers at most `maxKeys` keys, and each of them until at least half as many others were set after it.
 *
 * Two generations: when the younger has grown to its half, the older is dropped as a whole and the younger takes its place.
 * A Map kept in the order of use would cost tens of microseconds whenever its oldest key has to be found, because it
 * walks over every place that moving keys has left empty.
 */
export function createRecentKeys<Value>(maxKeys: number): RecentKeys<Value> {
  const half = Math.ceil(maxKeys / 2);
  let younger = new Map<string, Value>();
  let older = new Map<string, Value>();
  return {
    get: (key) => younger.get(key) ?? older.get(key),
    set(key, value) {
      younger.set(key, value);
      if (younger.size >= half) [older, younger] = [younger, new Map()];
    },
  };
}
