import { createNotifier, type Notify } from "../call/hooks.js";
import { createRetryPolicy, type RetryPolicy } from "../call/retry.js";
import { type Clock, systemClock } from "../clock.js";
import { sentencesOf } from "../error/create-error.js";
import { readBearer } from "../token/bearer-token.js";
import { createTokenSource, type TokenSource } from "../token/token-source.js";
import type { CommonOptions } from "./client-options.js";
import { environment, isNode } from "./environment.js";
import { createLogHooks } from "./logger.js";
import { invalidOptions, type OptionRules } from "./option-rules.js";
import { clientName } from "./version.js";

/** The values that all calls of a client share. */
export interface ClientContext {
  /** Without trailing slashes; empty for a client that uses a transport. */
  readonly baseUrl: string;
  /** Where calls go, for messages. */
  readonly host: string;
  readonly timeoutMs: number;
  readonly retry: CommonOptions["retry"];
  readonly notify: Notify;
  /** The headers of every call. A call's own headers take precedence. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly token: CommonOptions["token"];
  readonly tokens: TokenSource;
  readonly retries: RetryPolicy;
}

/**
 * Checks the options and creates what calls share. A client that is derived from another shares its retry budget and, unless it
 * has another token, its cached token.
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createContext(
  options: CommonOptions & { readonly baseUrl?: string | undefined },
  rules: OptionRules,
  base?: ClientContext,
): ClientContext {
  const {
    timeoutMs = 15_000,
    clock = systemClock,
    retry = {},
    userAgent,
    logger = console,
    hooks = [],
    baseUrl = "",
  } = options;
  const { token = environment("PLATFORM_TOKEN"), logLevel = environment("PLATFORM_LOG") ?? "warn" } = options;
  const invalid = invalidOptions({ ...options, token, logLevel }, rules);
  if (invalid.length > 0) throw new TypeError(sentencesOf(invalid).trim());
  const notify = createNotifier([createLogHooks(logger, logLevel), hooks].flat());
  const provider = typeof token === "function" ? token : () => readBearer(token) ?? "";
  return {
    timeoutMs,
    clock,
    retry,
    token,
    notify,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    host: baseUrl.split("/")[2] ?? "",
    headers: {
      [isNode() && !userAgent ? "user-agent" : "x-platform-client"]: clientName,
      ...(userAgent && { "user-agent": userAgent }),
    },
    tokens: base && base.token === token ? base.tokens : createTokenSource(provider, { timeoutMs, clock, notify }),
    retries: base?.retries ?? createRetryPolicy(),
  };
}
