import type { Histogram } from "@platform-rpc/server/host";

export interface GrowingHistogram {
  /** Adds a value. Returns its bucket. */
  observe(value: number): number;
  read(): Histogram;
}

/** Creates an empty histogram. One more bucket follows the bounds, for all larger values. */
export function createHistogram(bounds: readonly number[]): GrowingHistogram {
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  let sum = 0;
  return {
    observe(value) {
      let bucket = 0;
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
      return bucket;
    },
    read: () => ({ bounds, counts: [...counts], sum }),
  };
}
