import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Contract, Field, FieldType } from "../../model/contract.ts";
import { allows, shapeSchema } from "./field-schema.ts";
import { type Direction, wellKnownTypes, wrappedScalar } from "./types.ts";

/**
 * Returns an example of a message, as JSON, from the examples, documented values and rules of its fields.
 *
 * @throws TypeError for a field for which no candidate value matches the rules: it needs the option `example`.
 */
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
  const text = kind === "scalar" && (name === "string" || name === "bytes" || /64$/.test(name));
  if (
    (text || kind === "enum" || name === "google.protobuf.Timestamp") &&
    (shape === "singular" || shape === "optional")
  ) {
    return example === '""' ? "" : example;
  }
  try {
    return JSON.parse(example);
  } catch {
    throw new TypeError(`${place.file}:${place.line}: the example of ${field.name} is not JSON`);
  }
}

function inShape({ shape, keyType }: Field, value: JsonValue): JsonValue {
  if (shape === "repeated") return [value];
  if (shape !== "map") return value;
  const key = keyType === "bool" ? "true" : keyType === "string" ? "key" : "1";
  return { [key]: value };
}

/** Returns the candidate values, the best first. */
function candidates(field: Field, { enums }: Contract): readonly JsonValue[] {
  const { type, jsonName, documentedValues, rules } = field;
  const wellKnown = wellKnownTypes[type.name]?.example;
  if (wellKnown !== undefined) return [JSON.parse(wellKnown)];
  if (type.name === "google.protobuf.NullValue") return [null];
  if (type.kind === "enum") return (enums.get(type.name)?.values ?? []).map(({ name }) => name).reverse();
  return scalarCandidates(type, jsonName, documentedValues, Object.values(rules).flat());
}

function scalarCandidates(
  type: FieldType,
  jsonName: string,
  documented: readonly string[],
  bounds: readonly (string | number | boolean)[],
): readonly JsonValue[] {
  const name = wrappedScalar(type.name) ?? type.name;
  const numbers = [1, 0, ...bounds.map(Number), ...bounds.map((bound) => Number(bound) + 1)];
  if (name === "bool") return [true, false];
  if (name === "bytes") return ["AAEC", "AAECAwQFBgcICQoLDA0ODw==", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="];
  if (name === "string") {
    const word = jsonName.replace(/Id$/, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const formats = ["user@example.com", "example.com", "192.0.2.1", "2001:db8::1", "https://example.com/"];
    const usual = [`${word}-1`, word, "1", ...formats, "01980f6e-7d2c-7b43-9f1e-5a6b7c8d9e0f"];
    return [...documented, ...usual, ...bounds.map(String)];
  }
  return /64$/.test(name) ? numbers.map(String) : numbers;
}
