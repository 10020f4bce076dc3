import type { RetryOptions } from "./retry.js";

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, which rejects with `CANCELED`. The call may have taken effect. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds for the call: the token, all attempts and the waits between them. Sent as Connect-Timeout-Ms, as far as one
   * attempt may take it. At most 2 147 483 647, the limit of timers; 0, less, and NaN leave no time. Default: the client's.
   */
  readonly timeoutMs?: number | undefined;
  /** How this call is repeated when it fails; false: it is not. Default: the client's. */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * Headers to send. The client's own take precedence: Authorization, Content-Type, Connect-Protocol-Version,
   * Connect-Timeout-Ms, and Idempotency-Key where the operation takes one. An `X-Request-Id` becomes the request id of the
   * call. Headers that are not valid are rejected: `INVALID_FIELD`.
   */
  readonly headers?: ConstructorParameters<typeof Headers>[0] | undefined;
}

/** Options of a call of an operation that is safe to repeat only with the same Idempotency-Key. */
export interface KeyedCallOptions extends CallOptions {
  /**
   * 16 to 128 visible ASCII characters. Pass one, and keep it, to be able to repeat a call whose answer was lost.
   * Default: a new random one for each call.
   */
  readonly idempotencyKey?: string | undefined;
}
