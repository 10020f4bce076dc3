import type { Field } from "../model/contract.ts";
import type { Rules } from "../model/options.ts";
import { isRenderable } from "../render/openapi/constraints.ts";
import { fieldRule, isPublished, type Rule, rulesOver } from "./rule.ts";

const unsafeScalars: ReadonlyMap<string, string> = new Map([
  ...["int64", "uint64", "sint64", "fixed64", "sfixed64"].map(
    (type) => [type, "is a string in JSON, which breaks === and >: use uint32"] as const,
  ),
  ...["float", "double"].map((type) => [type, 'rounds, and is "NaN" or "Infinity" in JSON: use uint32'] as const),
  ["bytes", "is base64 with padding in JSON: use a string, base64url without padding"],
]);

/** Each of these limits the length of a string or of bytes. */
const bounds = ["max_len", "len", "max_bytes", "len_bytes", "in", "const", "uuid", "[platform.options.v1.id]"];

/** Messages and fields have constraints. */
const constraintRule = rulesOver((contract) =>
  [...contract.messages.values()]
    .filter((message) => isPublished(message, contract))
    .flatMap((message) => [
      message,
      ...message.fields.map((field) => ({ ...field, name: `${message.name}.${field.name}` })),
    ]),
);

export const fieldRules: readonly Rule[] = [
  fieldRule(
    {
      id: "json-types",
      purpose: "Every value of a public message has its own type in JSON.",
      fix: "Use uint32 for numbers, string for bytes (base64url without padding), google.protobuf.Timestamp for times.",
    },
    function* ({ type, keyType, message }, contract) {
      if (!isPublished(message, contract)) return;
      for (const scalar of [keyType ?? "", type.name]) {
        const trouble = unsafeScalars.get(scalar);
        if (trouble !== undefined) yield `is ${scalar}, which ${trouble}`;
      }
    },
  ),
  fieldRule(
    {
      id: "timestamp-names",
      purpose: "Times are Timestamps with names that end in `_at`, and no other field has such a name.",
      fix: "Name google.protobuf.Timestamp fields `created_at`, `expires_at` and so on; name durations by their unit: `expires_in_seconds`.",
    },
    function* ({ name, type }) {
      const isTime = type.name === "google.protobuf.Timestamp";
      if (isTime && !name.endsWith("_at")) yield "is a Timestamp without a name in _at";
      if (!isTime && name.endsWith("_at")) yield "has the name of a time, but is not a Timestamp";
    },
  ),
  fieldRule(
    {
      id: "request-bounds",
      purpose: "Everything that callers send has an upper bound, so that no request costs more than planned.",
      fix: "Give each string max_len or max_bytes (or `in`, `const`), each list max_items and, of strings, items.string.max_len, each map max_pairs.",
    },
    function* (field) {
      if (!field.message.sent) return;
      const { shape, rules, type, keyType } = field;
      if (shape === "repeated" && rules["repeated.max_items"] === undefined) yield "is a list without max_items";
      if (shape === "map" && rules["map.max_pairs"] === undefined) yield "is a map without max_pairs";
      if (unbounded(type.name, rules, prefixOf(field))) yield `contains a ${type.name} without a bound`;
      if (shape === "map" && unbounded(keyType ?? "", rules, "map.keys.")) yield "has keys without a bound";
    },
  ),
  constraintRule(
    {
      id: "supported-constraints",
      purpose: "Every constraint of a public message is in the OpenAPI document: callers see what the server enforces.",
      fix: "Use a constraint that OpenAPI can express, or a CEL rule, which the document quotes.",
    },
    function* ({ rules }) {
      const unknown = Object.keys(rules).filter((rule) => !isRenderable(rule));
      for (const rule of unknown) yield `has the constraint ${rule}, which OpenAPI cannot express`;
    },
  ),
  fieldRule(
    {
      id: "documented-values",
      purpose: "Only open strings have documented values: the values of other types follow from the type.",
      fix: "Make the field a string, or remove `documented_values`. List each value once, within the bounds of the field.",
    },
    function* ({ documentedValues: values, type, rules, shape }) {
      if (values.length === 0) return;
      if (type.name !== "string") yield `has documented values, but is a ${type.name}`;
      if (new Set(values).size < values.length) yield "documents a value twice";
      const prefix = prefixOf({ shape });
      const { [`${prefix}string.max_len`]: longest, [`${prefix}string.pattern`]: pattern } = rules;
      for (const value of values) {
        const fits =
          (longest === undefined || value.length <= Number(longest)) &&
          new RegExp(String(pattern ?? ""), "u").test(value);
        if (!fits) yield `documents the value "${value}", which its constraints reject`;
      }
    },
  ),
  fieldRule(
    {
      id: "absent-until",
      purpose: "Fields of responses are always present, or state when they are absent.",
      fix: "Set `absent_until` on `optional` fields, on fields of a oneof not, and on message fields only when they may be absent. Use it in responses only.",
    },
    function* ({ absentUntil, shape, type, oneof, message }, contract) {
      if (!isPublished(message, contract)) return;
      if (absentUntil !== undefined) {
        if (!message.received) yield "is in no response, but has absent_until";
        if (oneof !== undefined) yield "is in a oneof, which already states when it is absent";
        if (shape !== "optional" && !(shape === "singular" && type.kind === "message")) {
          yield "has absent_until, but cannot be absent: make it `optional` or a message";
        }
      } else if (message.received && !message.sent && shape === "optional") {
        yield "is optional, but does not state until when it is absent";
      }
    },
  ),
];

function prefixOf({ shape }: Pick<Field, "shape">): string {
  if (shape === "map") return "map.values.";
  return shape === "repeated" ? "repeated.items." : "";
}

function unbounded(type: string, rules: Rules, prefix: string): boolean {
  return /^(?:string|bytes)$/.test(type) && !bounds.some((bound) => rules[`${prefix}${type}.${bound}`] !== undefined);
}
