import { latin1Of, type Masking, maskedValues, type Pattern, prepareMasking } from "./mask-secrets.js";

/** The shortest part of an encoded secret that is searched: shorter ones are in any other data, too. */
const shortestPart = 8;

/**
 * Returns how a secret can be written in a response: each of its characters as it is, or as encoders of URLs, forms, JSON, HTML and mail write
 * it, whichever of them they leave. And all of it in base64, also inside of other encoded text, or in hexadecimal digits.
 */
function patternsOf(secret: string): readonly Pattern[] {
  const hex = [...Buffer.from(secret).toString("hex")];
  const encoded = [...base64Parts(secret).map(base64Pattern), hex.map(bothCases)];
  return [[...secret].map(spellingsOf), ...encoded.filter(({ length }) => length >= shortestPart)];
}

const entities: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

const known = new Map<string, readonly string[]>();

/** Returns how encoders write a character. Each escape can be encoded once more: JSON inside of JSON, or a URL inside of a URL. */
function spellingsOf(character: string): readonly string[] {
  const before = known.get(character);
  if (before !== undefined) return before;
  const point = character.codePointAt(0) ?? 0;
  const bytes = [...Buffer.from(character)];
  const percent = inHex("%", bytes, 2);
  const units = character.split("").map((unit) => unit.charCodeAt(0));
  const json = [JSON.stringify(character).slice(1, -1), ...inHex("\\u", units, 4), ...inHex("\\x", bytes, 2)];
  const escaped = /[^\w\s]/.test(character) ? [...json, `\\${character}`] : json;
  const numbers = [`${point}`, `${point}`.padStart(3, "0"), ...inHex("x", [point], 2)];
  const all = [
    ...[latin1Of(character), ...percent, ...percent.map((text) => text.replaceAll("%", "%25"))],
    ...[...escaped, ...escaped.map((text) => JSON.stringify(text).slice(1, -1))].map(latin1Of),
    ...[...numbers.map((number) => `&#${number};`), ...inHex("=", bytes, 2)],
    ...(character in entities ? [`&${entities[character]};`] : []),
    ...(character === " " ? ["+"] : []),
    ...(point < 256 ? [character] : []),
  ];
  const spellings = [...new Set(all)];
  known.set(character, spellings);
  return spellings;
}

/** Returns each value after a prefix, in small and in capital digits. */
function inHex(prefix: string, values: readonly number[], digits: number): readonly string[] {
  const all = values.map((value) => value.toString(16).padStart(digits, "0"));
  return [0, 1].map((at) => all.map((hex) => `${prefix}${bothCases(hex)[at]}`).join(""));
}

function bothCases(hex: string): readonly string[] {
  return [hex.toLowerCase(), hex.toUpperCase()];
}

/** Mail and PEM break lines between characters. Before the first, a line end is not held back: a stream of events ends each one with it. */
function base64Pattern([first = "", ...others]: string): Pattern {
  const spread = others
    .map(base64Spellings)
    .map((all) => [...all, ...["\n", "\r\n", "\\n", "\\r\\n"].flatMap((end) => all.map((text) => end + text))]);
  return [base64Spellings(first), ...spread];
}

/** Returns a character of base64url, and what base64 has instead. */
function base64Spellings(character: string): readonly string[] {
  const other = character === "-" ? "+" : character === "_" ? "/" : undefined;
  return [character, ...(other === undefined ? [] : spellingsOf(other))];
}

/** Three bytes become four characters, so a secret inside of a longer text has one of three forms. Their ends depend on what is around. */
function base64Parts(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return encoded.slice(Math.ceil((before * 8) / 6), end);
  });
}

/** Masks secrets in a response. */
export interface AnswerMasking {
  /** Masks the value of a header. */
  header(value: string): string;
  /** Returns whether the name of a header contains a secret. node:http has names in lower case. */
  isInName(name: string): boolean;
  body(): Masking;
}

export function createAnswerMasking(secrets: readonly string[]): AnswerMasking {
  const patterns = maskedValues(secrets).flatMap(patternsOf);
  const create = prepareMasking(patterns);
  const createForNames = prepareMasking(
    patterns.map((steps) => steps.map((texts) => texts.map((text) => text.toLowerCase()))),
  );
  return {
    isInName: (name) => Buffer.from(createForNames().end(Buffer.from(name))).toString() !== name,
    // node:http reads the bytes of headers as latin1.
    header: (value) => Buffer.from(create().end(Buffer.from(value, "latin1"))).toString("latin1"),
    body: create,
  };
}

/** Creates a function that returns what masks the secrets of an item. It keeps the last one, which takes long to create, with the item. */
export function createMaskings<Item extends object>() {
  const known = new WeakMap<Item, { readonly of: string; readonly masking: AnswerMasking }>();
  return (item: Item, secrets: readonly string[]): AnswerMasking => {
    const of = JSON.stringify(secrets);
    const last = known.get(item);
    if (last?.of === of) return last.masking;
    const masking = createAnswerMasking(secrets);
    known.set(item, { of, masking });
    return masking;
  };
}
