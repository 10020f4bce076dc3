import type { Hooks } from "../call/hooks.js";
import { type AttemptLimits, applyRetry, createRetryPolicy, type RetryPolicy } from "../call/retry.js";
import { type Clock, systemClock } from "../clock.js";
import { createTokenSource, type TokenSource } from "../token/token-source.js";
import { checkOptions, readLogLevel, readTokenOption } from "./check-options.js";
import type { CommonOptions } from "./client-options.js";
import { isNode } from "./environment.js";
import { createLogHooks } from "./logger.js";
import { clientName } from "./version.js";

/** What all calls of a client share. */
export interface ClientContext {
  readonly options: CommonOptions;
  /** Who is called, for messages. */
  readonly host: string;
  readonly timeoutMs: number;
  readonly limits: AttemptLimits;
  readonly hooks: readonly Hooks[];
  readonly userAgent: string | undefined;
  /** The header that names this package and its version. */
  readonly clientHeader: readonly [name: string, value: string];
  readonly clock: Clock;
  readonly tokens: TokenSource;
  readonly retries: RetryPolicy;
}

const defaultTimeoutMs = 15_000;
/** The server lets no call run longer. */
const defaultLimits: AttemptLimits = { maxAttempts: 4, attemptTimeoutMs: 30_000 };

/** Which entry makes the client, and the client that it is derived from. */
interface Origin {
  readonly host: string;
  /** Names of the options that only this entry has. */
  readonly names: readonly string[];
  readonly base?: ClientContext | undefined;
}

/**
 * Checks the options and creates what calls share. A client that is derived from another shares its retry budget and, unless it
 * has another token, its cached token.
 *
 * @throws TypeError that names the option, what is wrong with it and what is right.
 */
export function createContext(options: CommonOptions, { host, names, base }: Origin): ClientContext {
  checkOptions(options, names);
  const { timeoutMs = defaultTimeoutMs, clock = systemClock, userAgent, logger = console } = options;
  const hooks = [createLogHooks(logger, readLogLevel(options)), options.hooks ?? []].flat();
  const sharesToken = base && base.options.token === options.token;
  return {
    ...{ options, host, timeoutMs, hooks, userAgent, clock },
    limits: applyRetry(defaultLimits, options.retry),
    clientHeader: [isNode() && !userAgent ? "User-Agent" : "X-Platform-Client", clientName],
    tokens: sharesToken ? base.tokens : createTokenSource(readTokenOption(options), { timeoutMs, clock, hooks }),
    retries: base ? base.retries : createRetryPolicy(),
  };
}
