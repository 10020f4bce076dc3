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

/** The result of a batch. */
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

// The places of the figures in the memory. A histogram has a place for each bucket, and one for the sum.
const queuedAt = 0;
const failedAt = 1;
const batchAt = 2;
const secondsAt = batchAt + batchBounds.length + 2;
const checkpointsAt = secondsAt + secondBounds.length + 2;
const connectionsAt = checkpointsAt + secondBounds.length + 2;
const places = connectionsAt + 3;

/**
 * Creates the memory of a storage's figures. Threads can share it: the thread with the storage records, and any of them reads.
 *
 * @example
 * ```ts
 * import { createFiguresMemory, readFigures } from "@platform-rpc/server";
 *
 * const figures = createFiguresMemory();
 * // In the thread that serves calls: createPostgresStorage({ url, contentKey, figures })
 * console.log(readFigures(figures).failedBatches);
 * // 0
 * ```
 */
export function createFiguresMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(places * Float64Array.BYTES_PER_ELEMENT);
}

export function createStorageRecorder(memory: SharedArrayBuffer): StorageRecorder {
  const numbers = new Float64Array(memory);
  const add = (place: number, by: number) => {
    numbers[place] = (numbers[place] ?? 0) + by;
  };
  const observe = (at: number, bounds: readonly number[], value: number) => {
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    add(at + bucket, 1);
    add(at + bounds.length + 1, value);
  };
  return {
    queued(calls) {
      numbers[queuedAt] = calls;
    },
    batch(calls, result, milliseconds) {
      observe(batchAt, batchBounds, calls);
      if (result === "written") observe(secondsAt, secondBounds, milliseconds / 1000);
      if (result === "failed") add(failedAt, 1);
    },
    checkpoint(milliseconds) {
      observe(checkpointsAt, secondBounds, milliseconds / 1000);
    },
    connections({ used, idle, pending }) {
      numbers.set([used, idle, pending], connectionsAt);
    },
  };
}

/** Reads the figures that a storage records in memory from `createFiguresMemory`. */
export function readFigures(memory: SharedArrayBuffer): StorageFigures {
  const numbers = [...new Float64Array(memory)];
  const [used = 0, idle = 0, pending = 0] = numbers.slice(connectionsAt);
  const histogram = (at: number, bounds: readonly number[]): Histogram => ({
    bounds,
    counts: numbers.slice(at, at + bounds.length + 1),
    sum: numbers[at + bounds.length + 1] ?? 0,
  });
  return {
    queued: numbers[queuedAt] ?? 0,
    failedBatches: numbers[failedAt] ?? 0,
    batchCalls: histogram(batchAt, batchBounds),
    commitSeconds: histogram(secondsAt, secondBounds),
    checkpointSeconds: histogram(checkpointsAt, secondBounds),
    connections: { used, idle, pending },
  };
}
