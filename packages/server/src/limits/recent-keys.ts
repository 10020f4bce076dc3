/** Stores values of the most recently set keys. */
export interface RecentKeys<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/**
 * Creates a map of at most `maxKeys` keys that keeps each key until at least half as many others were set after it.
 *
 * It has two generations. When the younger one has half of `maxKeys` keys, the older one is dropped and replaced by it.
 * A single Map in order of use would need tens of microseconds to find its oldest key, because the iteration visits every slot
 * that a moved key left empty.
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
