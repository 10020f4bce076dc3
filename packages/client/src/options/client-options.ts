import type { Hooks } from "../call/hooks.js";
import type { RetryOptions } from "../call/retry.js";
import type { Clock } from "../clock.js";
import type { TokenProvider } from "../token/access-token.js";
import type { SecretToken } from "../token/secret-token.js";
import type { Fetch } from "../wire/fetch.js";
import type { Logger, LogLevel } from "./logger.js";

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
