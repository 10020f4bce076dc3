import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Contract, Enum, Field, FieldType, Message } from "../../model/contract.ts";
import type { Rules } from "../../model/options.ts";
import { celNotes, constraints, rulesUnder } from "./constraints.ts";

/** Constraints bind what callers send; responses have every field, and callers tolerate values that they do not know. */
export type Direction = "request" | "response";

type Refer = (type: Message | Enum, direction: Direction) => JsonObject;

const int32 = { type: "integer", minimum: -2147483648, maximum: 2147483647 };
const uint32 = { type: "integer", minimum: 0, maximum: 4294967295 };

/** The types that a public message may have: `json-types` of the lint rules rejects the other scalar types. */
const scalars: Readonly<Record<string, JsonObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32,
  uint32,
};

/** The protobuf messages with a special JSON form, each with an example. */
export const wellKnownTypes: Readonly<Record<string, { readonly schema: JsonObject; readonly example: string }>> = {
  "google.protobuf.Timestamp": {
    schema: { type: "string", format: "date-time" },
    example: "2026-01-15T09:30:00.250Z",
  },
  "google.protobuf.Duration": { schema: { type: "string", pattern: "^-?[0-9]+(?:\\.[0-9]{1,9})?s$" }, example: "1s" },
};

/** The forms that ProtoJSON also accepts in requests (https://protobuf.dev/programming-guides/json). */
const numberNote = 'May also be sent as `3.0` or as a string, `"3"`.';

/** Returns the JSON Schema of a field. @throws TypeError when JSON Schema cannot express its type or a rule of it. */
export function fieldSchema(field: Field, direction: Direction, contract: Contract, refer: Refer): JsonObject {
  const { description: note, ...schema } = shapeSchema(field, direction, contract, refer);
  const notes = [
    field.comment,
    ...(field.absentUntil !== undefined && direction === "response" ? [`Absent until ${field.absentUntil}.`] : []),
    ...(field.documentedValues.length > 0
      ? ["More values may be added: callers tolerate values that they do not know."]
      : []),
    ...(note === undefined ? [] : [String(note)]),
    ...(direction === "request" ? celNotes(field.rules) : []),
  ];
  return {
    ...schema,
    description: notes.join(" "),
    ...(field.documentedValues.length > 0 && { examples: [...field.documentedValues] }),
    ...(field.deprecated && { deprecated: true }),
  };
}

export function shapeSchema(field: Field, direction: Direction, contract: Contract, refer: Refer): JsonObject {
  const rules: Rules = direction === "request" ? field.rules : {};
  const { required } = rules;
  const typed = (inner: Rules) => typeSchema(field.type, inner, direction, contract, refer);
  const schema = shaped(field, rules, typed);
  if (required !== true || field.shape === "optional" || field.type.kind === "message") return schema;
  const [first] = contract.enums.get(field.type.name)?.values ?? [];
  return { allOf: [schema, { not: { enum: [zeroOf(field), ...(first ? [first.name] : [])] } }] };
}

function shaped({ shape, keyType }: Field, rules: Rules, typed: (rules: Rules) => JsonObject): JsonObject {
  if (shape === "repeated") {
    return { type: "array", items: typed(rulesUnder(rules, "repeated.items.")), ...constraints("repeated", rules) };
  }
  if (shape !== "map") return typed(rules);
  if (keyType !== "string") throw new TypeError(`the OpenAPI document has no schema for a map with keys of ${keyType}`);
  const keys = constraints(keyType, rulesUnder(rules, "map.keys."));
  return {
    type: "object",
    additionalProperties: typed(rulesUnder(rules, "map.values.")),
    ...(Object.keys(keys).length > 0 && { propertyNames: keys }),
    ...constraints("map", rules),
  };
}

function typeSchema(
  { kind, name }: FieldType,
  rules: Rules,
  direction: Direction,
  contract: Contract,
  refer: Refer,
): JsonObject {
  const wellKnown = wellKnownTypes[name]?.schema;
  if (wellKnown !== undefined) return wellKnown;
  const scalar = scalars[name];
  if (scalar !== undefined) return withBounds(scalar, constraints(name, rules), direction);
  const found = kind === "enum" ? contract.enums.get(name) : contract.messages.get(name);
  if (found === undefined) throw new TypeError(`the OpenAPI document has no schema for the type ${name}`);
  if (direction === "response" || kind === "message") return refer(found, direction);
  return { anyOf: [refer(found, direction), { ...int32, description: "The number of a value." }] };
}

function withBounds(scalar: JsonObject, bounds: JsonObject, direction: Direction): JsonObject {
  const { description, ...rules } = bounds;
  const lenient = direction === "request" && (scalar === int32 || scalar === uint32) ? [numberNote] : [];
  const notes = [...(description === undefined ? [] : [description]), ...lenient];
  return { ...scalar, ...rules, ...(notes.length > 0 && { description: notes.join(" ") }) };
}

export function enumOf(names: readonly string[]): JsonObject {
  return { type: "string", enum: [...names] };
}

/** The value that a missing field without presence is read as. */
export function zeroOf({ shape, type: { kind, name } }: Field): JsonValue {
  if (shape === "repeated") return [];
  if (shape === "map") return {};
  if (kind === "enum") return 0;
  if (name === "bool") return false;
  return name === "string" ? "" : 0;
}

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

export function allows(schema: JsonObject, value: JsonValue): boolean {
  return ajv.validate(schema, value);
}
