import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Contract, Field, Message } from "../../model/contract.ts";
import { shapeSchema } from "./field-schema.ts";
import { type Direction, wrappedScalar } from "./types.ts";

/**
 * Reports whether a field must be present. In a response every field is, unless it says when it is absent. In a request
 * one is if its rules refuse what a missing field counts as.
 */
export function isRequired(field: Field, message: Message, direction: Direction, contract: Contract): boolean {
  if (direction === "response") return !hasPresence(field) && !containsItself(field, message, contract);
  const { required } = field.rules;
  if (required === true) return true;
  if (hasPresence(field) || (field.shape === "singular" && field.type.kind === "message")) return false;
  return !allows(
    shapeSchema(field, direction, contract, ({ name }) => ({ $ref: name })),
    defaultOf(field),
  );
}

/** Whether a field may be absent, also where fields without a value are written out. */
function hasPresence(field: Field): boolean {
  const optional =
    field.shape === "optional" || field.oneof !== undefined || wrappedScalar(field.type.name) !== undefined;
  return optional || field.absentUntil !== undefined;
}

/** A message that always contains another of its kind would have no end. */
function containsItself(field: Field, message: Message, contract: Contract, seen: readonly string[] = []): boolean {
  if (field.shape !== "singular" || hasPresence(field) || field.type.kind !== "message") return false;
  if (field.type.name === message.name) return true;
  if (seen.includes(field.type.name)) return false;
  const inner = contract.messages.get(field.type.name)?.fields ?? [];
  return inner.some((each) => containsItself(each, message, contract, [...seen, field.type.name]));
}

function defaultOf({ shape, type }: Field): JsonValue {
  if (shape === "repeated") return [];
  if (shape === "map") return {};
  if (type.name === "bool") return false;
  if (type.name === "string" || type.name === "bytes") return "";
  return /64$/.test(type.name) ? "0" : 0;
}

/** Whether a value passes the keywords that this document uses for the rules of fields. */
export function allows(schema: JsonObject, value: JsonValue): boolean {
  return Object.entries(schema).every(([keyword, bound]) => checks[keyword]?.(value, bound) ?? true);
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const some = (schemas: JsonValue, value: JsonValue) =>
  Array.isArray(schemas) && schemas.some((schema) => isObject(schema) && allows(schema, value));
const types: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
};

const checks: Readonly<Record<string, (value: JsonValue, bound: JsonValue) => boolean>> = {
  type: (value, type) => types[String(type)]?.(value) ?? true,
  minLength: (value, least) => [...String(value)].length >= Number(least),
  maxLength: (value, most) => [...String(value)].length <= Number(most),
  pattern: (value, pattern) => new RegExp(String(pattern), "u").test(String(value)),
  // Every format that a rule can demand has at least one character.
  format: (value, format) => value !== "" || format === "uri-reference",
  minimum: (value, least) => Number(value) >= Number(least),
  maximum: (value, most) => Number(value) <= Number(most),
  exclusiveMinimum: (value, least) => Number(value) > Number(least),
  exclusiveMaximum: (value, most) => Number(value) < Number(most),
  minItems: (value, least) => Array.isArray(value) && value.length >= Number(least),
  minProperties: (value, least) => isObject(value) && Object.keys(value).length >= Number(least),
  const: (value, only) => value === only,
  enum: (value, listed) => Array.isArray(listed) && listed.includes(value),
  not: (value, schema) => !isObject(schema) || !allows(schema, value),
  allOf: (value, schemas) => Array.isArray(schemas) && schemas.every((schema) => some([schema], value)),
  anyOf: (value, schemas) => some(schemas, value),
};
