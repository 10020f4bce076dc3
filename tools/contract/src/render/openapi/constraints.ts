import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Rules } from "../../model/options.ts";

type RuleValue = Rules[string];
/** The JSON Schema of each rule of a type. */
type Table = Readonly<Record<string, (value: RuleValue) => JsonObject>>;

const literal = (text: RuleValue) => String(text).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const list = (value: RuleValue) => (Array.isArray(value) ? [...value] : [value]);
const format = (name: string) => () => ({ format: name });
const number =
  (keyword: string, more = 0) =>
  (value: RuleValue) => ({ [keyword]: Number(value) + more });
const pattern = (of: (text: string) => string) => (value: RuleValue) => ({ pattern: of(literal(value)) });

/** The rules of every scalar type. */
const choices = (read: (value: RuleValue) => JsonValue): Table => ({
  const: (value) => ({ const: read(value) }),
  in: (value) => ({ enum: list(value).map(read) }),
  not_in: (value) => ({ not: { enum: list(value).map(read) } }),
});

const strings: Table = {
  ...choices(String),
  min_len: number("minLength"),
  max_len: number("maxLength"),
  len: (value) => ({ minLength: Number(value), maxLength: Number(value) }),
  // A character has at least one byte.
  max_bytes: (value) => ({ maxLength: Number(value), description: `At most ${value} bytes in UTF-8.` }),
  pattern: (value) => ({ pattern: javascriptPattern(String(value)) }),
  prefix: pattern((text) => `^${text}`),
  suffix: pattern((text) => `${text}$`),
  contains: pattern((text) => text),
  not_contains: (value) => ({ not: { pattern: literal(value) } }),
  ...Object.fromEntries(["email", "hostname", "ipv4", "ipv6", "uri", "uuid"].map((name) => [name, format(name)])),
  uri_ref: format("uri-reference"),
};

/** The length of base64, with or without padding. */
const bytes: Table = {
  min_len: (value) => ({ minLength: Math.ceil((Number(value) * 4) / 3), description: `At least ${value} bytes.` }),
  max_len: (value) => ({ maxLength: Math.ceil(Number(value) / 3) * 4, description: `At most ${value} bytes.` }),
};

const numbers: Table = { ...choices(Number), gte: number("minimum"), lte: number("maximum") };
const integers: Table = { ...numbers, gt: number("minimum", 1), lt: number("maximum", -1) };
const floats: Table = {
  ...numbers,
  gt: number("exclusiveMinimum"),
  lt: number("exclusiveMaximum"),
  finite: () => ({ type: "number" }),
};

const signOf = (least: number) => (least > 0 ? "^[1-9][0-9]*$" : least === 0 ? "^[0-9]+$" : "^-?[0-9]+$");

/** 64-bit integers are strings in JSON: their bounds are in the description, their sign is a pattern. */
const longs: Table = {
  ...choices(String),
  gte: (value) => ({ pattern: signOf(Number(value)), description: `At least ${value}.` }),
  gt: (value) => ({ pattern: signOf(Number(value) + 1), description: `Greater than ${value}.` }),
  lte: (value) => ({ description: `At most ${value}.` }),
  lt: (value) => ({ description: `Less than ${value}.` }),
};

const tables: Readonly<Record<string, Table>> = {
  string: strings,
  bytes,
  bool: { const: (value) => ({ const: value === true }) },
  // Rendered with the names of the values.
  enum: { ...choices(Number), defined_only: () => ({}) },
  repeated: {
    min_items: number("minItems"),
    max_items: number("maxItems"),
    unique: (value) => ({ uniqueItems: value === true }),
  },
  map: { min_pairs: number("minProperties"), max_pairs: number("maxProperties") },
  float: floats,
  double: floats,
  ...Object.fromEntries(["int32", "uint32", "sint32", "fixed32", "sfixed32"].map((type) => [type, integers])),
  ...Object.fromEntries(["int64", "uint64", "sint64", "fixed64", "sfixed64"].map((type) => [type, longs])),
};

/**
 * Reports whether the OpenAPI document can express a rule of buf.validate, named as in `Rules`: `string.max_len`,
 * `repeated.items.string.pattern`, `cel[0].message`.
 */
export function isRenderable(rule: string): boolean {
  const [type = "", name = "", ...more] = rule.replace(/^(?:repeated\.items|map\.(?:keys|values))\./, "").split(".");
  if (/^(?:required|ignore|cel(?:\[\d+\])?)$/.test(type)) return true;
  return more.length === 0 && tables[type]?.[name] !== undefined;
}

/** Returns the rules on a part of a field: `rulesUnder(rules, "repeated.items.")`. */
export function rulesUnder(rules: Rules, prefix: string): Rules {
  const inner = Object.entries(rules).filter(([rule]) => rule.startsWith(prefix));
  return Object.fromEntries(inner.map(([rule, value]) => [rule.slice(prefix.length), value]));
}

/** Returns the rules of one type as JSON Schema. @throws TypeError for rules that JSON Schema cannot express. */
export function constraints(type: string, rules: Rules): JsonObject {
  const schema = Object.entries(rulesUnder(rules, `${type}.`))
    .filter(([rule, value]) => !/^(?:items|keys|values)\./.test(rule) && (value !== false || type === "bool"))
    .map(([rule, value]) => {
      const keyword = tables[type]?.[rule];
      if (keyword === undefined) throw new TypeError(`the OpenAPI document cannot express the rule ${type}.${rule}`);
      return keyword(value);
    })
    .reduce<JsonObject>(added, {});
  const { minimum, exclusiveMinimum: least = minimum, maximum, exclusiveMaximum: most = maximum } = schema;
  if (Number(least) > Number(most)) {
    throw new TypeError(`the OpenAPI document cannot express a ${type} below ${most} or above ${least}`);
  }
  return schema;
}

/** Converts a pattern: JSON Schema uses JavaScript's regular expressions, Protovalidate uses RE2's. */
function javascriptPattern(pattern: string): string {
  try {
    new RegExp(pattern, "u");
    return pattern;
  } catch {
    throw new TypeError(`the OpenAPI document cannot express the pattern ${pattern}: JavaScript cannot read it`);
  }
}

/** Returns a description of the CEL rules of a field or message: JSON Schema cannot express them. */
export function celNotes(rules: Rules): readonly string[] {
  return Object.entries(rules).flatMap(([rule, text]) =>
    /^cel\[\d+\]\.message$/.test(rule) ? [sentence(String(text))] : [],
  );
}

/** Adds one rule to others. A keyword that is already used is added under `allOf`. */
function added({ description: before, allOf, ...rules }: JsonObject, { description, ...rule }: JsonObject): JsonObject {
  const notes = [before, description].filter((note) => note !== undefined);
  const used = Object.keys(rule).some((keyword) => keyword in rules);
  const all = [...(Array.isArray(allOf) ? allOf : []), ...(used ? [rule] : [])];
  return {
    ...rules,
    ...(!used && rule),
    ...(all.length > 0 && { allOf: all }),
    ...(notes.length > 0 && { description: notes.join(" ") }),
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}
