import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Rules } from "../../model/options.ts";

type RuleValue = Rules[string];
/** The JSON Schema of each rule of a type. */
type Table = Readonly<Record<string, (value: RuleValue) => JsonObject>>;

const list = (value: RuleValue) => (Array.isArray(value) ? [...value] : [value]);
const number =
  (keyword: string, more = 0) =>
  (value: RuleValue) => ({ [keyword]: Number(value) + more });

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
};

const integers: Table = {
  ...choices(Number),
  gte: number("minimum"),
  lte: number("maximum"),
  gt: number("minimum", 1),
  lt: number("maximum", -1),
};

const tables: Readonly<Record<string, Table>> = {
  string: strings,
  bool: { const: (value) => ({ const: value === true }) },
  int32: integers,
  uint32: integers,
  repeated: {
    min_items: number("minItems"),
    max_items: number("maxItems"),
    unique: (value) => ({ uniqueItems: value === true }),
  },
  map: { min_pairs: number("minProperties"), max_pairs: number("maxProperties") },
};

/**
 * Reports whether the OpenAPI document can express a rule of buf.validate, named as in `Rules`: `string.max_len`,
 * `repeated.items.string.pattern`, `cel[0].message`. It can express those that the public contract needs.
 */
export function isRenderable(rule: string): boolean {
  const [type = "", name = "", ...more] = rule.replace(/^(?:repeated\.items|map\.(?:keys|values))\./, "").split(".");
  if (/^(?:required|cel(?:\[\d+\])?)$/.test(type)) return true;
  return more.length === 0 && tables[type]?.[name] !== undefined;
}

/** Returns the rules on a part of a field: `rulesUnder(rules, "repeated.items.")`. */
export function rulesUnder(rules: Rules, prefix: string): Rules {
  const inner = Object.entries(rules).filter(([rule]) => rule.startsWith(prefix));
  return Object.fromEntries(inner.map(([rule, value]) => [rule.slice(prefix.length), value]));
}

/** Returns the rules of one type as JSON Schema. @throws TypeError for rules that JSON Schema cannot express. */
export function constraints(type: string, rules: Rules): JsonObject {
  const keywords = Object.entries(rulesUnder(rules, `${type}.`))
    .filter(([rule]) => !/^(?:items|keys|values)\./.test(rule))
    .map(([rule, value]) => {
      const keyword = tables[type]?.[rule];
      if (keyword === undefined) throw new TypeError(`the OpenAPI document cannot express the rule ${type}.${rule}`);
      return keyword(value);
    });
  const schema: JsonObject = Object.assign({}, ...keywords);
  const { minimum, maximum } = schema;
  if (Number(minimum) > Number(maximum)) {
    throw new TypeError(`the OpenAPI document cannot express a ${type} below ${maximum} or above ${minimum}`);
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

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}
