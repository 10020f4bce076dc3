/** Options of one call. */
export interface CallOptions {
  /** Aborts the call: it rejects with `CANCELED`. It may have taken effect. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds that the call may take, token included; what is left of them, and no more than an
   * attempt may take, is sent as Connect-Timeout-Ms.
   * Default: the client's.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Headers to send besides the client's own, which win: Authorization, Content-Type, Connect-Protocol-Version,
   * Connect-Timeout-Ms, Idempotency-Key where the operation takes one, and `userAgent` where the client has one. An
   * `X-Request-Id` is kept as the call's request id. What no header can be is refused: `INVALID_FIELD`.
   */
  readonly headers?: ConstructorParameters<typeof Headers>[0] | undefined;
}

/** Options of a call of an operation that is safe to repeat only with the same Idempotency-Key. */
export interface KeyedCallOptions extends CallOptions {
  /**
   * 16 to 128 visible ASCII characters. Give one, and keep it, to be able to repeat a call whose answer was lost.
   * Default: a new random one for each call.
   */
  readonly idempotencyKey?: string | undefined;
}
