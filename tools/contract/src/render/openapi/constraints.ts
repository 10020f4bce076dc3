import type { JsonObject } from "@bufbuild/protobuf";
import type { Rules } from "../../model/options.ts";

type RuleValue = Rules[string];
type Keyword = (value: RuleValue) => JsonObject;

const literal = (text: RuleValue) => String(text).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const list = (value: RuleValue) => (Array.isArray(value) ? [...value] : [value]);
const asText = (value: RuleValue) => list(value).map(String);
const format = (name: string) => () => ({ format: name });
/** base64 with or without padding. */
const base64Length = {
  least: (bytes: number) => Math.ceil((bytes * 4) / 3),
  most: (bytes: number) => Math.ceil(bytes / 3) * 4,
};
const signOf = (least: number) => (least > 0 ? "^[1-9][0-9]*$" : least === 0 ? "^[0-9]+$" : "^-?[0-9]+$");

const strings: Readonly<Record<string, Keyword>> = {
  const: (value) => ({ const: String(value) }),
  min_len: (value) => ({ minLength: Number(value) }),
  max_len: (value) => ({ maxLength: Number(value) }),
  len: (value) => ({ minLength: Number(value), maxLength: Number(value) }),
  // A character has at least one byte.
  max_bytes: (value) => ({ maxLength: Number(value), description: `At most ${value} bytes in UTF-8.` }),
  pattern: (value) => ({ pattern: javascriptPattern(String(value)) }),
  prefix: (value) => ({ pattern: `^${literal(value)}` }),
  suffix: (value) => ({ pattern: `${literal(value)}$` }),
  contains: (value) => ({ pattern: literal(value) }),
  not_contains: (value) => ({ not: { pattern: literal(value) } }),
  in: (value) => ({ enum: asText(value) }),
  not_in: (value) => ({ not: { enum: asText(value) } }),
  email: format("email"),
  hostname: format("hostname"),
  ipv4: format("ipv4"),
  ipv6: format("ipv6"),
  uri: format("uri"),
  uri_ref: format("uri-reference"),
  uuid: format("uuid"),
};

const bytes: Readonly<Record<string, Keyword>> = {
  min_len: (value) => ({ minLength: base64Length.least(Number(value)), description: `At least ${value} bytes.` }),
  max_len: (value) => ({ maxLength: base64Length.most(Number(value)), description: `At most ${value} bytes.` }),
};

const choices: Readonly<Record<string, Keyword>> = {
  const: (value) => ({ const: Number(value) }),
  in: (value) => ({ enum: list(value).map(Number) }),
  not_in: (value) => ({ not: { enum: list(value).map(Number) } }),
};

const integers: Readonly<Record<string, Keyword>> = {
  ...choices,
  gte: (value) => ({ minimum: Number(value) }),
  gt: (value) => ({ minimum: Number(value) + 1 }),
  lte: (value) => ({ maximum: Number(value) }),
  lt: (value) => ({ maximum: Number(value) - 1 }),
};

const floats: Readonly<Record<string, Keyword>> = {
  ...choices,
  gte: (value) => ({ minimum: Number(value) }),
  gt: (value) => ({ exclusiveMinimum: Number(value) }),
  lte: (value) => ({ maximum: Number(value) }),
  lt: (value) => ({ exclusiveMaximum: Number(value) }),
  finite: () => ({ type: "number" }),
};

/** 64-bit integers are strings in JSON: their bounds are in the description, their sign is a pattern. */
const longs: Readonly<Record<string, Keyword>> = {
  const: (value) => ({ const: String(value) }),
  in: (value) => ({ enum: asText(value) }),
  not_in: (value) => ({ not: { enum: asText(value) } }),
  gte: (value) => ({ pattern: signOf(Number(value)), description: `At least ${value}.` }),
  gt: (value) => ({ pattern: signOf(Number(value) + 1), description: `Greater than ${value}.` }),
  lte: (value) => ({ description: `At most ${value}.` }),
  lt: (value) => ({ description: `Less than ${value}.` }),
};

/** Rules on the numbers of an enum are rendered with the names of its values. */
const enums: Readonly<Record<string, Keyword>> = { ...choices, defined_only: () => ({}) };

const lists: Readonly<Record<string, Keyword>> = {
  min_items: (value) => ({ minItems: Number(value) }),
  max_items: (value) => ({ maxItems: Number(value) }),
  unique: (value) => ({ uniqueItems: value === true }),
};

const maps: Readonly<Record<string, Keyword>> = {
  min_pairs: (value) => ({ minProperties: Number(value) }),
  max_pairs: (value) => ({ maxProperties: Number(value) }),
};

const tables: Readonly<Record<string, Readonly<Record<string, Keyword>>>> = {
  string: strings,
  bytes,
  bool: { const: (value) => ({ const: value === true }) },
  enum: enums,
  repeated: lists,
  map: maps,
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
