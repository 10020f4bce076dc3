import type { TraceContext, Tracing } from "../../ports/tracing.js";

/** Collects calls and flushes them in batches. */
export interface FlushQueue<Call> {
  /** The number of queued calls. */
  readonly length: number;
  /** Queues a call. Returns false when the queue is full. */
  push(call: Call): boolean;
  /** Resolves when every call that was queued before has been flushed. */
  drained(): Promise<void>;
}

/**
 * Creates a bounded queue that is flushed by setImmediate: after all ready sockets have been read, so that calls of
 * concurrent requests share a batch. A microtask would run too early, when only one request has been read.
 */
export function createFlushQueue<Call>(options: {
  /** The largest number of queued calls. */
  readonly queueLimit: number;
  /** The largest number of calls in a batch. Others wait for the next turn of the event loop. */
  readonly batchLimit: number;
  /** Receives a batch. Must not throw or reject. The next batch waits for its promise. */
  readonly flush: (batch: readonly Call[]) => void | Promise<void>;
  /** Traces the batches. Default: they are not traced. */
  readonly tracing?: Pick<Tracing, "current" | "beginBatch"> | undefined;
}): FlushQueue<Call> {
  const { queueLimit, batchLimit, flush, tracing } = options;
  const waiting: Call[] = [];
  /** The span of each waiting call, if batches are traced. */
  const spans: (TraceContext | undefined)[] = [];
  let listeners: (() => void)[] = [];
  let scheduled = false;

  const turn = () => {
    const batch = waiting.splice(0, batchLimit);
    const ended = tracing?.beginBatch(
      batch.length,
      spans.splice(0, batchLimit).filter((span) => span !== undefined),
    );
    const flushed = flush(batch);
    if (flushed === undefined) flushedAll(ended);
    else flushed.then(() => flushedAll(ended));
  };

  const flushedAll = (ended: (() => void) | undefined) => {
    ended?.();
    scheduled = waiting.length > 0;
    if (scheduled) {
      setImmediate(turn);
      return;
    }
    for (const listener of listeners) listener();
    listeners = [];
  };

  return {
    get length() {
      return waiting.length;
    },

    push(call) {
      if (waiting.length >= queueLimit) return false;
      waiting.push(call);
      if (tracing !== undefined) spans.push(tracing.current());
      if (!scheduled) {
        scheduled = true;
        setImmediate(turn);
      }
      return true;
    },

    drained() {
      return scheduled ? new Promise((resolve) => listeners.push(resolve)) : Promise.resolve();
    },
  };
}
