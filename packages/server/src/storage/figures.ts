/** The distribution of values. */
export interface Histogram {
  /** The inclusive upper bound of each bucket, in ascending order. One more bucket follows, for all larger values. */
  readonly bounds: readonly number[];
  /** The number of values in each bucket. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** The connections of a storage to its database. All are 0 on SQLite. */
export interface ConnectionFigures {
  /** The connections that run a statement now. */
  readonly used: number;
  /** The open connections that run none. */
  readonly idle: number;
  /** The statements that wait for a connection now. */
  readonly pending: number;
}

/** Counts since a storage was opened, for metrics. */
export interface StorageFigures {
  /** The calls that wait for a batch now. */
  readonly queued: number;
  /** The batches that failed because of a write or the commit. When the commit failed, it is unknown whether they were written. */
  readonly failedBatches: number;
  /** The number of calls in each batch. */
  readonly batchCalls: Histogram;
  /** The seconds that each batch with writes took, from its first decision until it was on disk. */
  readonly commitSeconds: Histogram;
  /** The seconds that each checkpoint took, in which no batch can begin. Empty on PostgreSQL. */
  readonly checkpointSeconds: Histogram;
  readonly connections: ConnectionFigures;
}

export type BatchResult = "written" | "unchanged" | "failed";

/** Counts what a storage does. A call costs a few nanoseconds. */
export interface StorageRecorder {
  queued(calls: number): void;
  batch(calls: number, result: BatchResult, milliseconds: number): void;
  checkpoint(milliseconds: number): void;
  connections(now: ConnectionFigures): void;
}

const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const secondBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

interface Recorded {
  readonly bounds: readonly number[];
  readonly counts: number[];
  sum: number;
}

export function createStorageRecorder(): StorageRecorder & { read(): StorageFigures } {
  const histogram = (bounds: readonly number[]): Recorded => ({
    bounds,
    counts: Array(bounds.length + 1).fill(0),
    sum: 0,
  });
  const copyOf = ({ bounds, counts, sum }: Recorded): Histogram => ({ bounds, counts: [...counts], sum });
  const batchCalls = histogram(batchBounds);
  const commitSeconds = histogram(secondBounds);
  const checkpointSeconds = histogram(secondBounds);
  let queued = 0;
  let failedBatches = 0;
  let connections: ConnectionFigures = { used: 0, idle: 0, pending: 0 };

  const observe = (into: Recorded, value: number) => {
    let bucket = 0;
    while (bucket < into.bounds.length && value > (into.bounds[bucket] ?? 0)) bucket += 1;
    into.counts[bucket] = (into.counts[bucket] ?? 0) + 1;
    into.sum += value;
  };

  return {
    queued(calls) {
      queued = calls;
    },
    batch(calls, result, milliseconds) {
      observe(batchCalls, calls);
      if (result === "written") observe(commitSeconds, milliseconds / 1000);
      if (result === "failed") failedBatches += 1;
    },
    checkpoint(milliseconds) {
      observe(checkpointSeconds, milliseconds / 1000);
    },
    connections(now) {
      connections = now;
    },
    read: () => ({
      queued,
      failedBatches,
      batchCalls: copyOf(batchCalls),
      commitSeconds: copyOf(commitSeconds),
      checkpointSeconds: copyOf(checkpointSeconds),
      connections,
    }),
  };
}

/** The figures of a storage that has done nothing, for a process that has opened none. */
export const noStorageFigures: StorageFigures = createStorageRecorder().read();
