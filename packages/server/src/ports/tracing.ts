/** Identifies a span: the part of W3C Trace Context that a link to it needs. An OpenTelemetry `SpanContext` is one. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The lowest bit is set if the trace is recorded. */
  readonly traceFlags: number;
}

/** A call that the gate has admitted. */
export interface TracedCall {
  /** `<package>.<Service>/<Method>` */
  readonly operation: string;
  readonly requestId: string;
  /** When the head of the request had arrived, by `performance.now()`. */
  readonly startedAt: number;
  /** The headers of W3C Trace Context, unchecked. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** How a call ended. */
export interface TracedResult {
  /** The Connect code in its wire form, or `ok`. */
  readonly code: string;
  readonly reason: string | undefined;
}

/** The trace of one call. */
export interface CallTrace {
  readonly context: TraceContext;
  /** Runs the implementation of the operation, so that what it does belongs to the trace. */
  run<Result>(work: () => Result): Result;
  /** Called once, when the response is decided or the caller has disconnected. */
  end(result: TracedResult): void;
}

/**
 * Traces calls, and the batches of the storage. Implemented by `openTelemetry` of `@platform-rpc/server/otel`. None of its methods
 * may throw.
 */
export interface Tracing {
  /** Begins the trace of an admitted call. Requests that the gate rejects are not traced, so that only callers cause spans. */
  begin(call: TracedCall): CallTrace;
  /** Returns the span of the call that is running, when it queues a transaction. Undefined outside of any call. */
  current(): TraceContext | undefined;
  /**
   * Called when a batch of transactions begins. Returns a function that is called when the batch has ended.
   *
   * @param calls the number of transactions in the batch.
   * @param callers the spans of their calls, as far as they have one.
   */
  beginBatch(calls: number, callers: readonly TraceContext[]): () => void;
}
