/** Collects calls and flushes them in batches. */
export interface FlushQueue<Call> {
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
}): FlushQueue<Call> {
  const { queueLimit, batchLimit, flush } = options;
  const waiting: Call[] = [];
  let listeners: (() => void)[] = [];
  let scheduled = false;

  const turn = () => {
    const flushed = flush(waiting.splice(0, batchLimit));
    if (flushed === undefined) flushedAll();
    else flushed.then(flushedAll);
  };

  const flushedAll = () => {
    scheduled = waiting.length > 0;
    if (scheduled) {
      setImmediate(turn);
      return;
    }
    for (const listener of listeners) listener();
    listeners = [];
  };

  return {
    push(call) {
      if (waiting.length >= queueLimit) return false;
      waiting.push(call);
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
