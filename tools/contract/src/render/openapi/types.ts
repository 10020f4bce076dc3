import type { JsonObject } from "@bufbuild/protobuf";

/** Constraints bind what callers send; responses have every field, and callers tolerate values that they do not know. */
export type Direction = "request" | "response";

const int32 = { type: "integer", minimum: -2147483648, maximum: 2147483647 };
const uint32 = { type: "integer", minimum: 0, maximum: 4294967295 };
const int64 = { type: "string", pattern: "^-?[0-9]+$" };
const uint64 = { type: "string", pattern: "^[0-9]+$" };
const float = { type: "number" };

const bytes = { type: "string", contentEncoding: "base64", pattern: "^[A-Za-z0-9+/]*={0,2}$" };

const scalars: Readonly<Record<string, JsonObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  bytes,
  float,
  double: float,
  int32,
  sint32: int32,
  sfixed32: int32,
  uint32,
  fixed32: uint32,
  int64,
  sint64: int64,
  sfixed64: int64,
  uint64,
  fixed64: uint64,
};

const numberNote = 'May also be sent as `3.0` or as a string, `"3"`.';

/** The forms that ProtoJSON also accepts in requests (https://protobuf.dev/programming-guides/json). */
const lenient = new Map<JsonObject, JsonObject>([
  [bytes, { pattern: "^[A-Za-z0-9+/_-]*={0,2}$", description: "base64 or base64url." }],
  [int32, { description: numberNote }],
  [uint32, { description: numberNote }],
  [int64, { description: "May also be sent as a number." }],
  [uint64, { description: "May also be sent as a number." }],
]);

/** The schema of a scalar type. @throws TypeError when protobuf has no such type. */
export function scalarSchema(name: string, direction: Direction): JsonObject {
  const schema = scalars[name];
  if (schema === undefined) throw new TypeError(`the OpenAPI document has no schema for the type ${name}`);
  return direction === "request" ? { ...schema, ...lenient.get(schema) } : schema;
}

/** A float is a number or one of three strings. `bounds` apply to the number. */
export function floatSchema({ type: finite, ...bounds }: JsonObject): JsonObject {
  const number = { ...float, ...bounds };
  if (finite !== undefined) return number;
  return { anyOf: [number, { type: "string", enum: ["NaN", "Infinity", "-Infinity"] }] };
}

/** The keys of a map are strings in JSON, whatever their type. */
export function mapKeySchema(type: string): JsonObject {
  if (type === "bool") return { enum: ["true", "false"] };
  if (type === "string") return {};
  return { pattern: type.startsWith("u") || type.startsWith("fixed") ? "^[0-9]+$" : "^-?[0-9]+$" };
}

/** Wrappers such as google.protobuf.UInt32Value: the scalar itself in JSON, absent when unset. */
export function wrappedScalar(message: string): string | undefined {
  const [, name] =
    /^google\.protobuf\.(String|Bytes|Bool|Int32|UInt32|Int64|UInt64|Float|Double)Value$/.exec(message) ?? [];
  return name?.toLowerCase();
}

/** The protobuf messages with a special JSON form, each with an example. */
export const wellKnownTypes: Readonly<Record<string, { readonly schema: JsonObject; readonly example: string }>> = {
  "google.protobuf.Timestamp": {
    schema: { type: "string", format: "date-time" },
    example: '"2026-01-15T09:30:00.250Z"',
  },
  "google.protobuf.Duration": { schema: { type: "string", pattern: "^-?[0-9]+(?:\\.[0-9]{1,9})?s$" }, example: '"1s"' },
  "google.protobuf.FieldMask": { schema: { type: "string" }, example: '""' },
  "google.protobuf.Empty": { schema: { type: "object" }, example: "{}" },
  "google.protobuf.Struct": { schema: { type: "object", additionalProperties: true }, example: "{}" },
  "google.protobuf.Value": { schema: { description: "Any JSON value." }, example: "true" },
  "google.protobuf.ListValue": { schema: { type: "array", items: {} }, example: "[]" },
  "google.protobuf.Any": {
    schema: {
      type: "object",
      properties: { "@type": { type: "string" } },
      required: ["@type"],
      additionalProperties: true,
    },
    example: '{"@type": "type.googleapis.com/google.protobuf.Duration", "value": "1s"}',
  },
};
