import { type OptionRules, requireOptions } from "@platform-rpc/options";
import { readBearer } from "../options/bearer-token.js";
import type { CommonOptions, HttpOptions } from "../options/client-options.js";
import { type Clock, systemClock } from "../options/clock.js";
import { createNotifier, type Notify } from "../options/hooks.js";
import { createLogHooks } from "../options/logger.js";
import { attempt } from "../wire/read-json.js";
import { createRetryPolicy, type RetryPolicy } from "./retry.js";
import { createTokenSource, type TokenSource } from "./token-source.js";

/** The version of the package, set by the build. */
declare const CLIENT_VERSION: string | undefined;

const clientName: string = `platform-rpc-client/${typeof CLIENT_VERSION === "string" ? CLIENT_VERSION : "dev"}`;

/** The process of Node, Bun, Deno, or of a bundler's polyfill; undefined in browsers. */
interface Runtime {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly versions?: { readonly node?: string };
  };
}

const runtime: Runtime = globalThis;

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
 * Checks the options that `called` got, and creates what its calls share. A client that is derived from another shares its
 * retry budget and, unless it has another token, its cached token.
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createContext(
  called: string,
  options: CommonOptions & HttpOptions,
  rules: OptionRules,
  base?: ClientContext,
  given: object = options,
): ClientContext {
  const {
    timeoutMs = 15_000,
    clock = systemClock,
    retry = {},
    userAgent,
    logger = console,
    hooks = [],
    token = environment("PLATFORM_TOKEN"),
    logLevel = environment("PLATFORM_LOG") ?? "warn",
    baseUrl = environment("PLATFORM_URL"),
  } = options;
  const hasUrl = "baseUrl" in rules;
  requireOptions(called, given, rules, { token, logLevel, ...(hasUrl && { baseUrl }) });
  const url = (hasUrl && baseUrl) || "";
  const notify = createNotifier([createLogHooks(logger, logLevel), hooks].flat());
  const provider = typeof token === "function" ? token : () => readBearer(token) ?? "";
  return {
    timeoutMs,
    clock,
    retry,
    token,
    notify,
    baseUrl: url.replace(/\/+$/, ""),
    host: url.split("/")[2] ?? "",
    headers: {
      [isNode() && !userAgent ? "user-agent" : "x-platform-client"]: clientName,
      ...(userAgent && { "user-agent": userAgent }),
    },
    tokens: base && base.token === token ? base.tokens : createTokenSource(provider, { timeoutMs, clock, notify }),
    retries: base?.retries ?? createRetryPolicy(),
  };
}

/** Returns an environment variable; undefined if it is not set, is empty, or cannot be read. */
function environment(name: string): string | undefined {
  // Deno without --allow-env throws.
  return attempt(() => runtime.process?.env?.[name] || undefined);
}

/** Returns whether the program may set User-Agent. Browsers ignore it, or require the server to allow it (CORS). */
function isNode(): boolean {
  return !!runtime.process?.versions?.node;
}
