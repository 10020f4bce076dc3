import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { Contract, Encode, Field, Operation } from "../../model/contract.ts";
import { allows, type Direction, shapeSchema, wellKnownTypes } from "./field-schema.ts";
import { type ErrorReason, headerNamed, type PublishedApi } from "./published-api.ts";

/** Returns an example of a message, from the options and rules of its fields. @throws TypeError if one needs the option `example`. */
export function exampleOf(name: string, direction: Direction, contract: Contract): JsonObject {
  return messageExample(name, direction, contract, []);
}

function messageExample(name: string, direction: Direction, contract: Contract, around: readonly string[]): JsonObject {
  const { fields = [] } = contract.messages.get(name) ?? {};
  const inside = [...around, name];
  const shown = fields.filter(
    (field) =>
      // One field of each oneof, and no message inside itself.
      (field.oneof === undefined || fields.find(({ oneof }) => oneof === field.oneof) === field) &&
      !(inside.includes(field.type.name) && field.shape !== "repeated"),
  );
  return Object.fromEntries(shown.map((field) => [field.jsonName, fieldExample(field, direction, contract, inside)]));
}

function fieldExample(field: Field, direction: Direction, contract: Contract, inside: readonly string[]): JsonValue {
  if (field.example !== undefined) return parsedExample(field, field.example);
  if (field.shape === "repeated" && inside.includes(field.type.name)) return [];
  if (field.type.kind === "message" && contract.messages.has(field.type.name)) {
    return inShape(field, messageExample(field.type.name, direction, contract, inside));
  }
  const schema = shapeSchema(field, direction, contract, () => ({}));
  const found = candidates(field, contract)
    .map((value) => inShape(field, value))
    .find((value) => allows(schema, value));
  if (found === undefined) {
    const { file, line } = field.place;
    throw new TypeError(
      `${file}:${line}: ${field.name} needs (platform.options.v1.field).example: no usual value matches its rules`,
    );
  }
  return found;
}

/** The option `example`: the text of a single string, otherwise JSON. An option cannot be the empty text. */
function parsedExample({ shape, type: { kind, name }, place, ...field }: Field, example: string): JsonValue {
  const text = name === "string" || kind === "enum" || name === "google.protobuf.Timestamp";
  if (text && (shape === "singular" || shape === "optional")) {
    return example === '""' ? "" : example;
  }
  try {
    return JSON.parse(example);
  } catch {
    throw new TypeError(`${place.file}:${place.line}: the example of ${field.name} is not JSON`);
  }
}

function inShape({ shape }: Field, value: JsonValue): JsonValue {
  if (shape === "repeated") return [value];
  return shape === "map" ? { key: value } : value;
}

function candidates({ type, jsonName, documentedValues, rules }: Field, { enums }: Contract): readonly JsonValue[] {
  const wellKnown = wellKnownTypes[type.name]?.example;
  if (wellKnown !== undefined) return [wellKnown];
  if (type.kind === "enum") return (enums.get(type.name)?.values ?? []).map(({ name }) => name).reverse();
  if (type.name === "bool") return [true, false];
  const bounds = Object.values(rules).flat();
  if (type.name !== "string") return [1, 0, ...bounds.map(Number), ...bounds.map((bound) => Number(bound) + 1)];
  const word = jsonName.replace(/Id$/, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const formats = ["user@example.com", "example.com", "https://example.com/", "01980f6e-7d2c-7b43-9f1e-5a6b7c8d9e0f"];
  return [...documentedValues, `${word}-1`, word, "1", ...formats, ...bounds.map(String)];
}

/** In every example, so that examples are recognized in logs. */
export const exampleRequestId = "01980f6e-7d2c-7b43-9f1e-5a6b7c8d9e0f";

/** Creates the Error bodies that callers of an operation receive. */
export type ExampleError = (reason: ErrorReason, operation: Operation) => JsonObject;

export function createExampleErrors({ contract, package: owner }: PublishedApi): ExampleError {
  const { encode } = contract;

  function debugOf(detail: string, operation: Operation): JsonObject {
    if (detail !== "google.rpc.BadRequest") return exampleOf(detail, "response", contract);
    const [field] = contract.messages.get(operation.request)?.fields ?? [];
    return {
      fieldViolations: [{ field: field?.jsonName ?? "Idempotency-Key", description: "is required" }],
    };
  }

  return ({ name, code, message, details }, operation) => {
    const info = { reason: name, domain: owner.name, metadata: { requestId: exampleRequestId } };
    const others = details.map((detail) => encodedDetail(detail, debugOf(detail, operation), encode));
    return { code, message, details: [encodedDetail("google.rpc.ErrorInfo", info, encode), ...others] };
  };
}

export function exampleErrorHeaders(
  { headers, httpStatus }: ErrorReason,
  { requiredScopes }: Operation,
  api: PublishedApi,
): readonly (readonly [name: string, value: string])[] {
  return headers.map((name) => {
    const { const: only, example } = headerNamed(name, "response", api);
    // RFC 6750 section 3.1.
    const challenge = `Bearer error="insufficient_scope", scope="${requiredScopes.join(" ")}"`;
    return [name, name === "WWW-Authenticate" && httpStatus === 403 ? challenge : (only ?? example ?? "")];
  });
}

/** `value` is the message that `debug` shows, in unpadded base64. */
function encodedDetail(type: string, debug: JsonObject, encode: Encode): JsonObject {
  return { type, value: base64Encode(encode(type, debug), "std_raw"), debug };
}
