import type { TokenProvider } from "./access-token.js";
import type { Clock } from "./clock.js";
import type { Hooks } from "./hooks.js";
import type { RetryOptions } from "./retry.js";
import type { SecretToken } from "./secret-token.js";

/** Options of a client, however it speaks. */
export interface CommonOptions {
  /**
   * The access token of the caller, or where to get one. A provider is called when a token is needed: at the first
   * call, two minutes before the last one expires (beside the calls, which wait for it only in its last 30 seconds), and
   * when the server rejects it.
   */
  readonly token: string | SecretToken | TokenProvider;
  /**
   * Milliseconds that a call may take unless it says otherwise: token, all attempts and waits. Default: 15 000, the time that
   * the server itself gives a call which names none. At most 2 147 483 647: timers can wait for no longer.
   */
  readonly timeoutMs?: number | undefined;
  /** How failed calls are sent again; false: they are not. */
  readonly retry?: RetryOptions | false | undefined;
  /** Told of what the client does: one, or several. */
  readonly hooks?: Hooks | readonly Hooks[] | undefined;
  /** The User-Agent header. For programs: browsers keep their own. */
  readonly userAgent?: string | undefined;
  /** Another time than the machine's, for tests. */
  readonly clock?: Clock | undefined;
}
