import type { RetryOptions } from "./retry.js";

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, which rejects with `CANCELED`. Its message says whether the call may have taken effect. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds for the call: getting the token, all attempts and the waits between them. Each attempt sends the time it has left
   * as Connect-Timeout-Ms. `Infinity` sets no limit. With 0, a negative number or NaN, the call fails at once.
   * Default: the client's.
   */
  readonly timeoutMs?: number | undefined;
  /** How this call is retried when it fails; false disables retries. Default: the client's. */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * Headers to send. You cannot replace those that the client sets: Authorization, Content-Type, Connect-Protocol-Version,
   * Connect-Timeout-Ms, and Idempotency-Key where the operation takes one. An `X-Request-Id` becomes the request id of the
   * call. With an invalid header, the call rejects with `INVALID_FIELD`.
   */
  readonly headers?: ConstructorParameters<typeof Headers>[0] | undefined;
}

/** Options of a call of an operation that is safe to repeat only with the same Idempotency-Key. */
export interface KeyedCallOptions extends CallOptions {
  /**
   * 16 to 128 visible ASCII characters. Pass a key, and keep it, so that you can repeat a call whose response was lost.
   * Default: a new random key for each call.
   */
  readonly idempotencyKey?: string | undefined;
}
