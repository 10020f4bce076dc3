/** Gathers calls, and hands on at once what has gathered. */
export interface FlushQueue<Call> {
  /** Queues a call: false when the queue is full. */
  push(call: Call): boolean;
  /** Resolves when everything that was queued before has been handed on. */
  drained(): Promise<void>;
}

/**
 * A bounded queue that is flushed by setImmediate: after all sockets that are ready have been read, so that calls of
 * concurrent requests meet in one batch. A microtask would come too early, when only one request has been read.
 */
export function createFlushQueue<Call>(options: {
  /** Calls that may wait. */
  readonly queueLimit: number;
  /** Calls that are handed on together; what is beyond waits for the next turn of the event loop. */
  readonly batchLimit: number;
  /** Never throws. */
  readonly flush: (batch: readonly Call[]) => void;
}): FlushQueue<Call> {
  const { queueLimit, batchLimit, flush } = options;
  const waiting: Call[] = [];
  let listeners: (() => void)[] = [];
  let scheduled = false;

  const turn = () => {
    flush(waiting.splice(0, batchLimit));
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
