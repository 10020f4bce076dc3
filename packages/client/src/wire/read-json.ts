/** Reads parsed JSON, which is untrusted input. `undefined` stands for an absent field. @throws TypeError for a wrong type. */
export type Reader<T> = (value: unknown) => T;

type Readers<T> = { readonly [Field in keyof Required<T>]: Reader<T[Field]> };

/** Control characters, line separators and the marks that change the direction of text. */
export const deceptive = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]/gu;

/**
 * Escapes the characters of a text that could deceive its reader, as in JSON: `\u202e`. They are control characters, which could move
 * the cursor of a terminal or forge lines of a log, and the marks that change the direction of text. Texts in responses and errors of
 * this package are escaped already; use it for what you read yourself.
 *
 * @example
 * ```ts
 * import { printable } from "@platform-rpc/client";
 *
 * console.log(printable("report\u202efdp.exe"));
 * // report\u202efdp.exe
 * ```
 */
export function printable(text: string): string {
  return text.replace(deceptive, (character) => `\\u${(0x10000 + character.charCodeAt(0)).toString(16).slice(1)}`);
}

/** Returns the result of a function; undefined when it throws. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

const text: Reader<string> = scalar("");

/** Reads a text, and escapes the characters that could forge lines in a log or a terminal. */
export const string: Reader<string> = (value) => printable(text(value));

/** A number of JSON in a string, which ProtoJSON allows. */
const quotedNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const plainNumber: Reader<number> = scalar(0);
export const number: Reader<number> = (value) =>
  plainNumber(typeof value === "string" && quotedNumber.test(value) ? Number(value) : value);
export const boolean: Reader<boolean> = scalar(false);

/** Reads any JSON, with texts as `string` reads them. */
export const json: Reader<unknown> = (value) =>
  value === undefined
    ? value
    : JSON.parse(JSON.stringify(value), (_, part) => (typeof part === "string" ? printable(part) : part));

export function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (value) => (value === undefined ? undefined : read(value));
}

/** Reads a list; an empty one when it is absent. */
export function list<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value = []) => {
    if (!Array.isArray(value)) throw new TypeError();
    return value.map((element) => read(element));
  };
}

/** Reads a map; an empty one when it is absent. */
export function map<T>(read: Reader<T>): Reader<{ readonly [key: string]: T }> {
  return (value = {}) => Object.fromEntries(Object.entries(objectOf(value)).map(([key, each]) => [key, read(each)]));
}

/** Reads the fields of a message, by their names in JSON or proto. Drops unknown members, because the sender chose their names. */
export function message<T>(fields: Readers<T>): Reader<T>;
export function message(fields: Readonly<Record<string, Reader<unknown>>>): Reader<unknown> {
  const readers = Object.entries(fields).map(([name, read]) => [name, protoName(name), read] as const);
  return (value) => {
    const given = objectOf(value);
    const result: Record<string, unknown> = {};
    for (const [name, protoName, read] of readers) result[name] = read(given[name] ?? given[protoName] ?? undefined);
    return result;
  };
}

/** Returns the name of a field in proto, such as `vault_id`. */
export const protoName = (name: string): string => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

function scalar<T>(absent: T): Reader<T> {
  const matches = (value: unknown): value is T => typeof value === typeof absent;
  return (value = absent) => {
    if (matches(value)) return value;
    throw new TypeError();
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (Object(value) !== value || Array.isArray(value)) throw new TypeError();
  return Object(value);
}
