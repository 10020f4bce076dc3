import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Contract, Enum, Field, FieldType, Message } from "../../model/contract.ts";
import type { Rules } from "../../model/options.ts";
import { celNotes, constraints, rulesUnder } from "./constraints.ts";
import { type Direction, floatSchema, mapKeySchema, scalarSchema, wellKnownTypes, wrappedScalar } from "./types.ts";

/** Returns the schema of a message or enum of the contract. */
type Refer = (type: Message | Enum, direction: Direction) => JsonObject;

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

/** Returns the schema of a field's values, without descriptions. */
export function shapeSchema(field: Field, direction: Direction, contract: Contract, refer: Refer): JsonObject {
  const { ignore, required } = field.rules;
  const rules = direction === "request" && ignore !== "IGNORE_ALWAYS" ? field.rules : {};
  const typed = (inner: Rules) => typeSchema(field.type, inner, direction, contract, refer);
  const schema = shaped(field, rules, typed);
  if (direction === "response" || field.shape === "optional" || field.type.kind === "message") return schema;
  const zero = zeroOf(field);
  if (ignore === "IGNORE_IF_ZERO_VALUE") return { anyOf: [{ const: zero }, schema] };
  const [first] = contract.enums.get(field.type.name)?.values ?? [];
  return required === true ? { allOf: [schema, { not: { enum: [zero, ...(first ? [first.name] : [])] } }] } : schema;
}

function shaped({ shape, keyType = "string" }: Field, rules: Rules, typed: (rules: Rules) => JsonObject): JsonObject {
  if (shape === "repeated") {
    return { type: "array", items: typed(rulesUnder(rules, "repeated.items.")), ...constraints("repeated", rules) };
  }
  if (shape !== "map") return typed(rules);
  const keys = { ...mapKeySchema(keyType), ...constraints(keyType, rulesUnder(rules, "map.keys.")) };
  return {
    type: "object",
    additionalProperties: typed(rulesUnder(rules, "map.values.")),
    ...(Object.keys(keys).length > 0 && { propertyNames: keys }),
    ...constraints("map", rules),
  };
}

function typeSchema(type: FieldType, rules: Rules, direction: Direction, contract: Contract, refer: Refer): JsonObject {
  const scalar = type.kind === "scalar" ? type.name : wrappedScalar(type.name);
  if (scalar !== undefined) return withBounds(scalar, constraints(scalar, rules), direction);
  const wellKnown = wellKnownTypes[type.name]?.schema;
  if (wellKnown !== undefined) return wellKnown;
  const found = type.kind === "enum" ? contract.enums.get(type.name) : contract.messages.get(type.name);
  if (type.name === "google.protobuf.NullValue") return { type: "null" };
  if (found === undefined) throw new TypeError(`the OpenAPI document has no schema for the type ${type.name}`);
  return "values" in found && direction === "request" ? sentEnum(found, rules, refer) : refer(found, direction);
}

function withBounds(scalar: string, bounds: JsonObject, direction: Direction): JsonObject {
  if (scalar === "float" || scalar === "double") return floatSchema(bounds);
  const schema = scalarSchema(scalar, direction);
  const { description: before } = bounds;
  const { description: after } = schema;
  const notes = [before, after].filter((note) => note !== undefined);
  return { ...schema, ...bounds, ...(notes.length > 0 && { description: notes.join(" ") }) };
}

/** Returns the schema of an enum in requests: a name or a number, including unknown numbers unless a rule forbids them. */
function sentEnum(type: Enum, rules: Rules, refer: Refer): JsonObject {
  const { const: only, enum: some, not } = constraints("enum", rules);
  const listed = only === undefined ? some : [only];
  const { enum: forbidden } = typeof not === "object" && not !== null && !Array.isArray(not) ? not : {};
  const allowed = type.values.filter(
    ({ number }) =>
      (!Array.isArray(listed) || listed.includes(number)) && !(Array.isArray(forbidden) && forbidden.includes(number)),
  );
  const closed = Array.isArray(listed) || rules["enum.defined_only"] === true;
  const names =
    allowed.length === type.values.length ? refer(type, "request") : enumOf(allowed.map(({ name }) => name));
  const numbers = closed
    ? { type: "integer", enum: allowed.map(({ number }) => number) }
    : { ...scalarSchema("int32", "response"), ...(not !== undefined && { not }) };
  return { anyOf: [names, numbers] };
}

/** A closed list of names. */
export function enumOf(names: readonly string[]): JsonObject {
  return { type: "string", enum: [...names] };
}

/** The value that a missing field without presence is read as. */
export function zeroOf({ shape, type: { kind, name } }: Field): JsonValue {
  if (shape === "repeated") return [];
  if (shape === "map") return {};
  if (kind === "enum") return 0;
  if (name === "bool") return false;
  if (name === "string" || name === "bytes") return "";
  return name.endsWith("64") ? "0" : 0;
}

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** Reports whether a schema without references allows a value. */
export function allows(schema: JsonObject, value: JsonValue): boolean {
  return ajv.validate(schema, value);
}
