import { sentencesOf } from "../error/create-error.js";
import type { FieldViolation } from "../error/platform-error.js";
import { bearerProblem } from "./bearer-token.js";
import type { Hooks } from "./hooks.js";
import { logLevels } from "./logger.js";

/** Returns `true` for a valid value, or else text that says what is expected. */
type Rule = (value: unknown) => boolean | string;

/** The rule of each option. Options inside an option have separate rules. */
export interface OptionRules {
  readonly [option: string]: Rule | OptionRules;
}

/** Creates a rule for a value of this type, which may be absent. The message does not contain the value. */
export function ofType(type: "boolean" | "function" | "number" | "object" | "string"): Rule {
  return (value) =>
    value === undefined || (typeof value === type && value !== null) || `must be of type ${type}, not ${kindOf(value)}`;
}

/** Creates a rule for an object with these functions. It may be absent. */
export function withFunctions(...names: readonly string[]): Rule {
  return (value) =>
    value === undefined ||
    names.every((name) => typeof Object(value)[name] === "function") ||
    `must be an object with ${names.join(", ")}`;
}

const kindOf = (value: unknown): string | null => (value === null ? value : typeof value);

const isSignal = withFunctions("addEventListener", "removeEventListener");

const limit: Rule = (value = 1) =>
  (typeof value === "number" && value >= 1) ||
  `must be a number from 1, not ${typeof value === "number" ? value : kindOf(value)}`;

/** For a value that can be sent as a header. */
export const headerValue: Rule = (value = "") =>
  (typeof value === "string" && /^[ -~]*$/.test(value)) || "must be a string of printable ASCII";

const missing = (variable: string) => `is required. Pass it, or set ${variable}`;

const retry: OptionRules = { maxAttempts: limit, attemptTimeoutMs: limit };

/** The options that end a wait. */
export const signalRules: OptionRules = {
  signal: (value) =>
    isSignal(value) === true ||
    (Object(value).signal ? "is an AbortController: pass controller.signal" : "must be an AbortSignal"),
};

export const callRules: OptionRules = {
  ...signalRules,
  // Also 0, a negative number or NaN, which leave no time: a caller may compute what is left.
  timeoutMs: ofType("number"),
  retry,
  headers: ofType("object"),
};

export const keyedCallRules: OptionRules = { ...callRules, idempotencyKey: headerValue };

const hookNames: readonly string[] = [
  "onStart",
  "onRequest",
  "onResponse",
  "onRetry",
  "onEnd",
  "onTokenRefresh",
] satisfies (keyof Hooks)[];

/** Rejects a function with another name than that of a hook, which would never be called. */
const hooks: Rule = (value = []) => {
  for (const one of [value].flat()) {
    if (!one || typeof one !== "object") return "must be an object, or a list of them";
    for (const [name, hook] of Object.entries(one)) {
      if (!/^on/i.test(name) || (hookNames.includes(name) && (hook === undefined || typeof hook === "function")))
        continue;
      return `must contain functions with these names: ${hookNames.join(", ")}. It contains ${name}`;
    }
  }
  return true;
};

export const commonRules: OptionRules = {
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
export const httpRules: OptionRules = {
  baseUrl: (value) =>
    (typeof value === "string" && /^https?:\/\/[^/?#@\s][^?#@\s]*$/i.test(value)) ||
    (value === undefined ? missing("PLATFORM_URL") : "must be an http(s) URL without credentials, query or fragment"),
  fetch: ofType("function"),
  ...commonRules,
};

/** Returns the options that are unknown or invalid. `defaults` are checked with them, in place of those that are absent. */
export function invalidOptions(
  options: unknown,
  rules: OptionRules,
  defaults: object = {},
  path = "",
): readonly FieldViolation[] {
  const names = Object.keys(rules).join(", ");
  // A signal or a promise has no options, so that a mistake would go unnoticed.
  if (!options || typeof options !== "object" || isPromise(options) || isSignal(options) === true)
    return [{ field: path.slice(0, -1) || "options", description: `must be an object with ${names}` }];
  return Object.entries({ ...options, ...defaults }).flatMap(([name, value]) => {
    const field = path + name;
    const rule =
      (Object.hasOwn(rules, name) && rules[name]) ||
      ((absent) => absent === undefined || `is not an option. Use ${names}`);
    const isNested = typeof rule === "object";
    if (isNested && value && typeof value === "object") return invalidOptions(value, rule, {}, `${field}.`);
    const description = isPromise(value)
      ? "is a promise: await it"
      : isNested
        ? value === undefined || value === false || "must be false or an object"
        : rule(value);
    return typeof description === "string" ? { field, description } : [];
  });
}

/** Returns whether a value is a promise: a forgotten `await`. */
const isPromise = (value: unknown): boolean => typeof Object(value).then === "function";

/** Checks the options of a function. @throws TypeError that names each invalid option and what is expected. */
export function requireOptions(options: unknown, rules: OptionRules, required: object = {}): void {
  const invalid = invalidOptions(options, rules, required);
  if (invalid.length > 0) throw new TypeError(sentencesOf(invalid).trim());
}
