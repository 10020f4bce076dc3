import type { FieldViolation } from "../error/platform-error.js";
import { bearerTokenRule, readBearer } from "../token/bearer-token.js";
import { logLevels } from "./logger.js";

/** Returns `true` for a valid value, or else text that says what is expected. */
type Rule = (value: unknown) => boolean | string;

/** The rule of each option. Options inside an option have rules of their own. */
export interface OptionRules {
  readonly [option: string]: Rule | OptionRules;
}

/** Creates a rule for a value of this type, which may be absent. The message does not contain the value. */
export function ofType(type: "function" | "number" | "object" | "string"): Rule {
  return (value) => value === undefined || typeof value === type || `must be of type ${type}, not ${typeof value}`;
}

const limit: Rule = (value = 1) => (typeof value === "number" && value >= 1) || `must be a number from 1, not ${value}`;

const headerValue: Rule = (value = "") =>
  (typeof value === "string" && /^[ -~]*$/.test(value)) || "must be a string of printable ASCII";

const missing = (variable: string) => `is missing. Pass it, or set ${variable}`;

const retry: OptionRules = { maxAttempts: limit, attemptTimeoutMs: limit };

/** The options of a call. */
export const callRules: OptionRules = {
  signal: ofType("object"),
  // Also 0, a negative number or NaN, which leave no time: a caller may compute what is left.
  timeoutMs: ofType("number"),
  retry,
  headers: ofType("object"),
  idempotencyKey: headerValue,
};

/** The options that every client has. */
export const commonRules: OptionRules = {
  token: (value) =>
    typeof value === "function" ||
    readBearer(value) !== undefined ||
    (value === undefined ? missing("PLATFORM_TOKEN") : bearerTokenRule),
  timeoutMs: limit,
  retry,
  hooks: ofType("object"),
  logger: ofType("object"),
  logLevel: (value) =>
    logLevels.includes(`${value}`) || `(or PLATFORM_LOG) must be one of ${logLevels.join(", ")}, not ${value}`,
  userAgent: headerValue,
  clock: ofType("object"),
};

/** The options of a client over HTTP. No message contains the URL, because it may contain a password. */
export const httpRules: OptionRules = {
  baseUrl: (value) =>
    (typeof value === "string" && /^https?:\/\/[^/?#@\s][^?#@\s]*$/.test(value)) ||
    (value === undefined ? missing("PLATFORM_URL") : "must be an http(s) URL without credentials, query or fragment"),
  fetch: ofType("function"),
  ...commonRules,
};

/** Returns the options that are unknown or invalid. */
export function invalidOptions(options: object, rules: OptionRules, path = ""): readonly FieldViolation[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const field = path + name;
    const rule =
      (Object.hasOwn(rules, name) && rules[name]) || (() => `is not an option. Use ${Object.keys(rules).join(", ")}`);
    const isNested = typeof rule === "object";
    if (isNested && value && typeof value === "object") return invalidOptions(value, rule, `${field}.`);
    const description = isNested ? !value || "must be false or an object" : rule(value);
    return typeof description === "string" ? { field, description } : [];
  });
}
