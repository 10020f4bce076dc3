import type { Fetch } from "../wire/http.js";
import type { Clock } from "./clock.js";
import type { Hooks } from "./hooks.js";
import type { Logger, LogLevel } from "./logger.js";
import type { SecretToken, TokenProvider } from "./token.js";

/** How failed calls are retried. The contract defines which operations are safe to retry. */
export interface RetryOptions {
  /** The maximum number of attempts, including the first. The extra attempt after a rejected token does not count. Default: 4. */
  readonly maxAttempts?: number | undefined;
  /** Milliseconds for one attempt, within the deadline of the call. Default: 30 000, the server's limit. */
  readonly attemptTimeoutMs?: number | undefined;
}

/** Options of a client of either entry. */
export interface CommonOptions {
  /**
   * The access token of the caller, or a function that gets one. A function is called when a token is needed: at the first call,
   * two minutes before the last token expires (in the background; calls wait only in its last 30 seconds), and when the server
   * rejects it. Default: the environment variable `PLATFORM_TOKEN`.
   */
  readonly token?: string | SecretToken | TokenProvider | undefined;
  /**
   * Milliseconds for a call that does not set its own `timeoutMs`: getting the token, all attempts and the waits between them.
   * Default: 15 000, as on the server. `Infinity` sets no limit.
   */
  readonly timeoutMs?: number | undefined;
  /** How failed calls are retried; false disables retries. */
  readonly retry?: RetryOptions | false | undefined;
  /** Functions that the client notifies of events: one set, or a list of them. */
  readonly hooks?: Hooks | readonly Hooks[] | undefined;
  /** Where the client logs. Default: `console`. */
  readonly logger?: Logger | undefined;
  /** The lowest level that the client logs. Default: the environment variable `PLATFORM_LOG`, or else `warn`. */
  readonly logLevel?: LogLevel | undefined;
  /**
   * The User-Agent header of calls that do not set one. Do not set it in browsers. Without it, programs outside browsers send the
   * name and version of this package as User-Agent. With it, and in browsers, X-Platform-Client contains them.
   */
  readonly userAgent?: string | undefined;
  /** The clock of the client, for tests. Default: the machine's. */
  readonly clock?: Clock | undefined;
}

/** How a client reaches the platform over HTTP. */
export interface HttpOptions {
  /**
   * The URL of the platform, such as `https://api.example.com`, with or without a path prefix. No credentials, query or fragment.
   * Use `http:` only where nobody can eavesdrop: every call carries a token. Default: the environment variable `PLATFORM_URL`.
   */
  readonly baseUrl?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined;
}

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
