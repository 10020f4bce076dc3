/** Returns `true` for a valid value; for others, what is expected, as the rest of the sentence after the name; or the rules of its members. */
export type Rule = (value: unknown) => boolean | string | OptionRules;

/** The rule of each option. For a type of options it is complete, so that the compiler asks for the rule of the next option. */
export type OptionRules<Options = Readonly<Record<string, unknown>>> = { readonly [Option in keyof Options]-?: Rule };

/** An invalid option, and what is wrong with it. */
export interface InvalidOption {
  readonly field: string;
  readonly description: string;
}

/** Creates a rule for a value that is required. The message does not contain the value, which may be a secret. */
export function must(expected: string, isValid: (value: unknown) => boolean): Rule {
  return (value) => isValid(value) || `must ${expected}`;
}

/** Creates a rule for a value that may be absent. */
export function optional(rule: Rule): Rule {
  return (value) => value === undefined || rule(value);
}

/** Creates a rule like `must` for a value that may be absent. */
export const may = (expected: string, isValid: (value: unknown) => boolean): Rule => optional(must(expected, isValid));

/** Creates a rule for an object that is required, with these functions. */
export const part = (expected: string, ...functions: readonly string[]): Rule =>
  must(expected, (value) => hasFunctions(value, ...functions));

/** Creates a rule for options inside an option, which may be absent. */
export const nested = (rules: OptionRules): Rule => optional(() => rules);

/** Creates a rule for a value of this type, which may be absent. */
export function ofType(type: "boolean" | "function" | "number" | "object" | "string"): Rule {
  const isValid = (value: unknown) => typeof value === type && value !== null && !isPromise(value);
  return optional((value) => isValid(value) || `must be of type ${type}, not ${kindOf(value)}`);
}

/** Creates a rule for an object with these functions. It may be absent. */
export const withFunctions = (...names: readonly string[]): Rule =>
  optional(must(`be an object with ${names.join(", ")}`, (value) => hasFunctions(value, ...names)));

export const hasFunctions = (value: unknown, ...names: readonly string[]): boolean =>
  names.every((name) => typeof Object(value)[name] === "function");

/** Returns a check for a number from `least` to `most`. NaN does not pass. */
export const isFrom =
  (least: number, most = Number.POSITIVE_INFINITY) =>
  (value: unknown): boolean =>
    typeof value === "number" && value >= least && value <= most;

export const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

export const isListOf = (value: unknown, isElement: (element: unknown) => boolean): value is readonly unknown[] =>
  Array.isArray(value) && value.every(isElement);

/** Returns the type of a value, for messages. */
export const kindOf = (value: unknown): string =>
  value === null ? "null" : Number.isNaN(value) ? "NaN" : typeof value;

/** Returns whether a value is a promise: a forgotten `await`. */
export const isPromise = (value: unknown): boolean => typeof Object(value).then === "function";

/** Returns whether a value is like an AbortSignal, of this runtime or of a polyfill. */
export const isSignal = (value: unknown): boolean => hasFunctions(value, "addEventListener", "removeEventListener");

/** Returns the options that are missing, unknown or invalid. `defaults` are checked in place of those that are absent. */
export function invalidOptions(
  options: unknown,
  rules: OptionRules,
  defaults: object = {},
  path = "",
): readonly InvalidOption[] {
  const names = () => Object.keys(rules).join(", ") || "members";
  // A signal or a promise has no options, so that a mistake would go unnoticed.
  if (!options || typeof options !== "object" || isPromise(options) || isSignal(options))
    return [{ field: path.slice(0, -1) || "options", description: `must be an object with ${names()}` }];
  const given = { ...options, ...defaults };
  return [...new Set([...Object.keys(rules), ...Object.keys(given)])].flatMap((name) => {
    const field = path + name;
    // Also what the class of the options has.
    const value: unknown = Reflect.get(Object.hasOwn(given, name) ? given : options, name);
    const rule = Object.hasOwn(rules, name) && rules[name];
    const problem = rule ? rule(value) : value === undefined || `is not an option. Use ${names()}`;
    if (typeof problem === "object") return invalidOptions(value, problem, {}, `${field}.`);
    if (typeof problem !== "string") return [];
    return { field, description: isPromise(value) ? "is a promise: await it" : problem };
  });
}

/** Returns a sentence for each invalid option or field, with a space in front, for messages. */
export const sentencesOf = (invalid: readonly InvalidOption[]): string =>
  invalid.map(({ field, description }) => ` ${field} ${description}.`).join("");

/** Checks the options of a function. @throws TypeError that names the function, each invalid option and what is expected. */
export function requireOptions<Options extends object>(
  called: string,
  options: Options | undefined,
  rules: OptionRules<Options>,
  defaults?: object,
): void {
  const invalid = invalidOptions(options, rules, defaults);
  if (invalid.length > 0) throw new TypeError(`${called}:${sentencesOf(invalid)}`);
}
