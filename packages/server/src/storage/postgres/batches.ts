import type { Tracing } from "../../ports/tracing.js";
import type { BatchResult, StorageRecorder } from "../figures.js";
import type { PendingCall } from "./pending-call.js";

/** Collects calls and runs them in batches. */
export interface Batches {
  /** Queues a call. Returns false when the queue is full. */
  push(call: PendingCall): boolean;
  /** Resolves when every call that was queued before has ended. */
  drained(): Promise<void>;
}

export interface BatchesOptions {
  /** The largest number of queued calls. */
  readonly queueLimit: number;
  /** The largest number of calls in a batch. */
  readonly batchLimit: number;
  /** The largest number of batches in flight. */
  readonly inFlightLimit: number;
  /** Runs a batch. Must not reject. */
  readonly run: (calls: readonly PendingCall[]) => Promise<EndedBatch>;
  readonly recorder: StorageRecorder;
  /** Traces the batches. Default: they are not traced. */
  readonly tracing?: Pick<Tracing, "beginBatch"> | undefined;
}

/** How a batch ended. */
export interface EndedBatch {
  readonly result: BatchResult;
  /** The calls that must be decided again. */
  readonly again: readonly PendingCall[];
}

/**
 * Creates a bounded queue. What is queued while batches are in flight is the next batch, so the batches grow with the load.
 *
 * The calls of one lane are never in two batches at the same time: they are decided in order, and two batches of this process never
 * wait for each other's lock. A batch starts in setImmediate, when all ready sockets have been read.
 */
export function createBatches(options: BatchesOptions): Batches {
  const { queueLimit, batchLimit, inFlightLimit, run, recorder, tracing } = options;
  let waiting: PendingCall[] = [];
  const busy = new Set<string>();
  let inFlight = 0;
  let scheduled = false;
  let listeners: (() => void)[] = [];

  const take = (): readonly PendingCall[] => {
    const batch: PendingCall[] = [];
    const left: PendingCall[] = [];
    for (const call of waiting) {
      if (batch.length < batchLimit && !busy.has(call.lane)) batch.push(call);
      else left.push(call);
    }
    waiting = left;
    return batch;
  };

  const start = (): void => {
    scheduled = false;
    while (inFlight < inFlightLimit && waiting.length > 0) {
      const batch = take();
      if (batch.length === 0) return;
      const lanes = new Set(batch.map(({ lane }) => lane));
      for (const lane of lanes) busy.add(lane);
      inFlight += 1;
      const startedAt = performance.now();
      const spans = batch.flatMap(({ span }) => span ?? []);
      const ended = tracing?.beginBatch(batch.length, spans);
      recorder.queued(waiting.length);
      run(batch).then(({ result, again }) => {
        ended?.();
        recorder.batch(batch.length, result, performance.now() - startedAt);
        for (const lane of lanes) busy.delete(lane);
        inFlight -= 1;
        waiting.unshift(...again);
        schedule();
      });
    }
  };

  const schedule = (): void => {
    if (waiting.length === 0 && inFlight === 0) {
      for (const listener of listeners) listener();
      listeners = [];
    } else if (!scheduled && waiting.length > 0 && inFlight < inFlightLimit) {
      scheduled = true;
      setImmediate(start);
    }
  };

  return {
    push(call) {
      if (waiting.length >= queueLimit) return false;
      waiting.push(call);
      schedule();
      return true;
    },
    drained() {
      if (waiting.length === 0 && inFlight === 0) return Promise.resolve();
      return new Promise((resolve) => listeners.push(resolve));
    },
  };
}
