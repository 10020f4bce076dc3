import type { TokenProvider } from "./access-token.js";
import type { CallerDeps } from "./caller.js";
import { type Clock, systemClock } from "./clock.js";
import type { Hooks } from "./hooks.js";
import { isTimeout } from "./open-call.js";
import { createRetries, type RetryOptions } from "./retry.js";
import type { SecretToken } from "./secret-token.js";
import { createTokenSource } from "./token-source.js";

/** The time that the server itself gives a call which names none. */
const defaultTimeoutMs = 15_000;

/** Options of a client, however it speaks. */
export interface CommonOptions {
  /**
   * The access token of the caller, or where to get one. A provider is called when a token is needed: at the first
   * call, two minutes before the last one expires (beside the calls, which wait for it only in its last 30 seconds), and
   * when the server rejects it.
   */
  readonly token: string | SecretToken | TokenProvider;
  /** Milliseconds that a call may take unless it says otherwise: token, all attempts and waits. Default: 15 000. */
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

/** @throws TypeError when an option is not acceptable. The message names the option and does not repeat its value. */
export function readOptions(options: CommonOptions): CallerDeps {
  const { timeoutMs = defaultTimeoutMs, clock = systemClock, token, retry, userAgent } = options;
  const hooks = [options.hooks ?? []].flat();
  if (!isTimeout(timeoutMs)) throw new TypeError("timeoutMs must be a whole number of 1 to 2147483647");
  if (userAgent !== undefined && !/^[\x20-\x7e]+$/.test(userAgent))
    throw new TypeError("userAgent must be visible ASCII");
  return {
    timeoutMs,
    clock,
    hooks,
    userAgent,
    retries: createRetries(retry),
    tokens: createTokenSource(token, { timeoutMs, clock, hooks }),
  };
}
