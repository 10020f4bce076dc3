/** What happened in one interval. Absent rates and latencies mean that there were no calls. */
export interface SeriesPoint {
  /** The end of the interval, in milliseconds since the epoch. */
  readonly at: number;
  /** For each minute. */
  readonly deletions: number;
  /** For each minute. */
  readonly exchanges: number;
  /** Rejected calls for each minute, by reason. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Latency in milliseconds, estimated from the buckets of the histogram. Undefined without calls. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
}

/** A series of what the process does. */
export interface CallSeries {
  /** Returns at most `most` points of the last `forMs` milliseconds, the oldest first. */
  read(forMs: number, most: number): readonly SeriesPoint[];
}
