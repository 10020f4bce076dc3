import type { Hooks } from "../call/hooks.js";
import type { RetryOptions } from "../call/retry.js";
import type { Clock } from "../clock.js";
import type { TokenProvider } from "../token/access-token.js";
import type { SecretToken } from "../token/secret-token.js";
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
   * Milliseconds for a call that does not choose its own: token, all attempts and the waits between them. Default: 15 000, which
   * is the server's default. At most 2 147 483 647, the limit of timers.
   */
  readonly timeoutMs?: number | undefined;
  /** How failed calls are repeated; false: they are not. */
  readonly retry?: RetryOptions | false | undefined;
  /** Notified of what the client does: one or several. */
  readonly hooks?: Hooks | readonly Hooks[] | undefined;
  /** Where the client logs. Default: `console`. */
  readonly logger?: Logger | undefined;
  /** From which level on the client logs. Default: the environment variable `PLATFORM_LOG`, or else `warn`. */
  readonly logLevel?: LogLevel | undefined;
  /**
   * The User-Agent header of calls that do not have their own, for programs: do not set it in browsers. Without it, programs send the name and version of this package
   * as User-Agent. Otherwise, and in browsers, X-Platform-Client carries them.
   */
  readonly userAgent?: string | undefined;
  /** The time as the client sees it, for tests. Default: the machine's. */
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
  readonly fetch?: typeof globalThis.fetch | undefined;
}
