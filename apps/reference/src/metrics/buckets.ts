/** The upper bounds of the buckets for durations of calls and jobs, in seconds. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The upper bounds of the buckets for the lag of an event loop, in seconds. */
export const lagBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** The number of places of a histogram in memory: its buckets, one for larger values, and the sum. */
export function placesOf(bounds: readonly number[]): number {
  return bounds.length + 2;
}

function bucketOf(bounds: readonly number[], value: number): number {
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
  return bucket;
}

export function add(numbers: Float64Array, place: number, by: number): void {
  numbers[place] = (numbers[place] ?? 0) + by;
}

/** Adds a value to the histogram that starts at a place. Returns its bucket. */
export function observe(numbers: Float64Array, at: number, bounds: readonly number[], value: number): number {
  const bucket = bucketOf(bounds, value);
  add(numbers, at + bucket, 1);
  add(numbers, at + bounds.length + 1, value);
  return bucket;
}

/** Returns the sum of the numbers of all threads at a place. */
export function sumAt(threads: readonly Float64Array[], place: number): number {
  return threads.reduce((sum, numbers) => sum + (numbers[place] ?? 0), 0);
}

/** Reads the histogram that starts at a place, summed over all threads. */
export function readHistogram(threads: readonly Float64Array[], at: number, bounds: readonly number[]) {
  return {
    bounds,
    counts: Array.from({ length: bounds.length + 1 }, (_, bucket) => sumAt(threads, at + bucket)),
    sum: sumAt(threads, at + bounds.length + 1),
  };
}
