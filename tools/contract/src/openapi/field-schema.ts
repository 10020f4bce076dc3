import { type DescField, type DescMessage, type FileRegistry, type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { commentOf, documentedValues } from "./comment.ts";
import { objectIn, optionOf } from "./option.ts";

/** Constraints bind what callers send; answers have every field, and callers tolerate values that they do not know. */
export type Direction = "request" | "response";

/** The JSON Schema of a field. `refer` gives the schema of a message of the contract. */
export function fieldSchema(
  field: DescField,
  direction: Direction,
  contract: FileRegistry,
  refer: (message: DescMessage) => JsonObject,
): JsonObject {
  const comment = commentOf(field);
  const values = documentedValues(comment);
  const { description: note, ...type } = typeOf(field, direction, refer);
  return {
    ...type,
    ...(direction === "request" && boundsOf(field, contract)),
    description: note === undefined ? comment : `${comment} ${String(note)}`,
    ...(values.length > 0 && { examples: [...values] }),
  };
}

/** Whether a field must be there: in an answer always, unless its comment says when it is absent. */
export function isRequired(field: DescField, direction: Direction, contract: FileRegistry): boolean {
  if (direction === "response") return !/\bAbsent unless\b/.test(commentOf(field));
  // What is left out arrives as "" or 0.
  const { minLength = 0, pattern = "", minimum = 0 } = boundsOf(field, contract);
  return Number(minLength) > 0 || Number(minimum) > 0 || !new RegExp(String(pattern), "u").test("");
}

function typeOf(field: DescField, direction: Direction, refer: (message: DescMessage) => JsonObject): JsonObject {
  switch (field.fieldKind) {
    case "scalar":
      return scalarSchema(field.scalar, direction, field);
    case "message":
      return messageSchema(field.message, refer);
    case "list":
      if (field.listKind === "scalar") return { type: "array", items: scalarSchema(field.scalar, direction, field) };
      if (field.listKind === "message") return { type: "array", items: messageSchema(field.message, refer) };
      throw unknownType(field);
    case "map":
      if (field.mapKind !== "scalar") throw unknownType(field);
      return { type: "object", additionalProperties: scalarSchema(field.scalar, direction, field) };
    default:
      throw unknownType(field);
  }
}

function scalarSchema(scalar: ScalarType, direction: Direction, field: DescField): JsonObject {
  switch (scalar) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.UINT32: {
      const lenient = 'May also be sent as `3.0` or as a string, `"3"`.';
      const type = { type: "integer", minimum: 0, maximum: 4294967295 };
      return direction === "request" ? { ...type, description: lenient } : type;
    }
    default:
      throw unknownType(field);
  }
}

function messageSchema(message: DescMessage, refer: (message: DescMessage) => JsonObject): JsonObject {
  switch (message.typeName) {
    case "google.protobuf.Timestamp":
      return { type: "string", format: "date-time" };
    case "google.protobuf.Duration":
      return { type: "string", pattern: "^[0-9]+(?:\\.[0-9]{1,9})?s$" };
    default:
      return refer(message);
  }
}

/** The constraints of a field in the words of JSON Schema. A rule that has none there must not be dropped in silence. */
function boundsOf(field: DescField, contract: FileRegistry): JsonObject {
  const rules = optionOf(field, "buf.validate.field", contract);
  const bounds: JsonObject = {};
  for (const [type, typeRules] of Object.entries(rules)) {
    for (const [rule, value] of Object.entries(objectIn(typeRules))) {
      const keyword = keywords.get(`${type}.${rule}`);
      if (keyword === undefined)
        throw new TypeError(`${field} has the rule ${type}.${rule}: add it to field-schema.ts`);
      // 64-bit numbers are strings in the JSON of protobuf.
      bounds[keyword] = keyword === "pattern" ? value : Number(value);
    }
  }
  return bounds;
}

const keywords: ReadonlyMap<string, string> = new Map([
  ["string.minLen", "minLength"],
  ["string.maxLen", "maxLength"],
  ["string.pattern", "pattern"],
  ["uint32.gte", "minimum"],
  ["uint32.lte", "maximum"],
]);

function unknownType(field: DescField): TypeError {
  return new TypeError(`${field} has a type without a JSON Schema: add it to field-schema.ts`);
}
