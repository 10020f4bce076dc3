import { isPromise, isSignal, kindOf, type OptionRules, ofType, type Rule, withFunctions } from "@platform-rpc/options";
import { attempt } from "../wire/read-json.js";
import { bearerProblem } from "./bearer-token.js";
import type { CallOptions, CommonOptions, HttpOptions, KeyedCallOptions, RetryOptions } from "./client-options.js";
import type { Hooks } from "./hooks.js";
import { logLevels } from "./logger.js";

const limit: Rule = (value = 1) =>
  (typeof value === "number" && value >= 1) ||
  `must be a number from 1, not ${typeof value === "number" ? value : kindOf(value)}`;

/** For a value that can be sent as a header. */
export const headerValue: Rule = (value = "") =>
  (typeof value === "string" && /^[ -~]*$/.test(value)) || "must be a string of printable ASCII";

const missing = (variable: string) => `is required. Pass it, or set ${variable}`;

const retryRules: OptionRules<RetryOptions> = { maxAttempts: limit, attemptTimeoutMs: limit };

const retry: Rule = (value = false) =>
  value === false || (value && typeof value === "object" ? retryRules : "must be false or an object");

/** Rejects a token that would not be sent, because the client sets this header. */
const headers: Rule = (value) =>
  attempt(() => new Headers(Object(value)).has("Authorization"))
    ? "must not contain Authorization: pass the token as the option token of the client"
    : ofType("object")(value);

/** The options that end a wait. */
export const signalRules: OptionRules<Pick<CallOptions, "signal">> = {
  signal: (value) =>
    value === undefined ||
    isSignal(value) ||
    (Object(value).signal ? "is an AbortController: pass controller.signal" : "must be an AbortSignal"),
};

export const callRules: OptionRules<CallOptions> = {
  ...signalRules,
  // Also 0, a negative number or NaN, which leave no time: a caller may compute what is left.
  timeoutMs: ofType("number"),
  retry,
  headers,
};

export const keyedCallRules: OptionRules<KeyedCallOptions> = { ...callRules, idempotencyKey: headerValue };

const hookNames = Object.keys({
  onStart: true,
  onRequest: true,
  onResponse: true,
  onRetry: true,
  onEnd: true,
  onTokenRefresh: true,
} satisfies Record<keyof Hooks, true>);

/** Rejects a function with another name than that of a hook, which would never be called. */
const hooks: Rule = (value = []) => {
  for (const one of [value].flat()) {
    if (!one || typeof one !== "object" || isPromise(one)) return "must be an object, or a list of them";
    for (const [name, hook] of Object.entries(one)) {
      if (!/^on/i.test(name) || (hookNames.includes(name) && (hook === undefined || typeof hook === "function")))
        continue;
      return `must contain functions with these names: ${hookNames.join(", ")}. It contains ${name}`;
    }
  }
  return true;
};

export const commonRules: OptionRules<CommonOptions> = {
  token: (value) =>
    typeof value === "function" || (value === undefined ? missing("PLATFORM_TOKEN") : (bearerProblem(value) ?? true)),
  timeoutMs: limit,
  retry,
  hooks,
  logger: withFunctions("debug", "info", "warn"),
  logLevel: (value) =>
    logLevels.some((level) => level === value) ||
    `(or PLATFORM_LOG) must be one of ${logLevels.join(", ")}, not ${typeof value === "string" ? value : kindOf(value)}`,
  userAgent: headerValue,
  clock: withFunctions("now", "sleep", "after"),
};

/** The options of a client over HTTP. No message contains the URL, because it may contain a password. */
export const httpRules: OptionRules<CommonOptions & HttpOptions> = {
  baseUrl(value) {
    if (value === undefined) return missing("PLATFORM_URL");
    const isUrl = typeof value === "string" && /^https?:\/\/[^/?#@\s][^?#@\s]*$/i.test(value);
    if (!isUrl) return "must be an http(s) URL without credentials, query or fragment";
    return !/\w\/platform(?:\.\w+)*\.v\d+\.\w+/.test(value) || "must end before the name of the service";
  },
  fetch: ofType("function"),
  ...commonRules,
};
