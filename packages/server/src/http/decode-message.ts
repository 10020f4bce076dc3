import { type DescField, type DescMessage, fromJsonString, type Message, ScalarType } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { rpcError } from "../services/rpc-error.js";
import { readUsualJson } from "./read-usual-json.js";

/**
 * Decodes a request message. Unknown fields are ignored. A number may be a number of JSON, or a string that contains
 * one, such as `"3"` or `"3e0"` (ProtoJSON). Other strings are rejected.
 *
 * @throws RpcError INVALID_FIELD when a value does not fit its field, MALFORMED_JSON for everything else. Neither repeats
 * the input, because it may contain a secret. (The decoder's own errors do repeat it.)
 */
export function decodeMessage(schema: DescMessage, text: string): Message {
  return readUsualJson(schema, text) ?? decodeAnyJson(schema, text);
}

/** `decodeMessage` without its shortcut for the usual JSON. */
export function decodeAnyJson(schema: DescMessage, text: string): Message {
  const message = fromText(schema, text);
  const misspelt = findMisspeltNumbers(schema, text);
  if (misspelt.length === 0) return message;
  throw rpcError("INVALID_FIELD", { violations: misspelt.map((field) => ({ field, description: numbersOnly })) });
}

const numbersOnly = "must be a number, or a string that contains one as JSON spells it";

function fromText(schema: DescMessage, text: string): Message {
  try {
    return fromJsonString(schema, text, { ignoreUnknownFields: true });
  } catch (error) {
    const cause = isFieldError(error) ? error : error instanceof Error ? error.cause : undefined;
    if (!isFieldError(cause) || namesTwice(schema, text)) throw rpcError("MALFORMED_JSON");
    const field = cause.field();
    throw rpcError("INVALID_FIELD", {
      violations: [
        {
          field: field.kind === "oneof" ? field.name : field.jsonName,
          description: "has a value that does not fit its type",
        },
      ],
    });
  }
}

/** Returns true if a field is present under both of its names, such as `vaultId` and `vault_id`: a duplicate key. */
function namesTwice({ fields }: DescMessage, text: string): boolean {
  const json: unknown = JSON.parse(text);
  if (typeof json !== "object" || json === null) return false;
  return fields.some(
    ({ name, jsonName }) => name !== jsonName && Object.hasOwn(json, name) && Object.hasOwn(json, jsonName),
  );
}

const integers: ReadonlySet<ScalarType | undefined> = new Set([
  ScalarType.INT32,
  ScalarType.UINT32,
  ScalarType.SINT32,
  ScalarType.FIXED32,
  ScalarType.SFIXED32,
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);
/** A number of JSON (RFC 8259 section 6). */
const number = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";
const wholeNumber = new RegExp(`^${number}$`);
const patterns = new WeakMap<DescMessage, RegExp>();

/**
 * Finds integers in strings that are no numbers of JSON, such as "0x1", "+1" or " 1". The decoder reads them by the
 * rules of JavaScript, so another reader of the same request could read another number or fail.
 *
 * Tests the text with one pattern first, and parses it again only if the pattern matches, which is rare.
 *
 * @param text JSON of the message, which the decoder has accepted.
 * @returns the paths of the fields by their JSON names, such as `encryptedPayload.version`.
 */
export function findMisspeltNumbers(schema: DescMessage, text: string): string[] {
  let pattern = patterns.get(schema);
  if (pattern === undefined) {
    pattern = patternOf(schema);
    patterns.set(schema, pattern);
  }
  return pattern.test(text) ? [...misspeltIn(schema, JSON.parse(text), "")] : [];
}

/**
 * Returns a pattern that matches an integer field whose value is a list, an object or a string that is no number of JSON, and any
 * `\u` escape, because it may be part of a field's name.
 */
function patternOf(schema: DescMessage): RegExp {
  const names = [...new Set(integerNames(schema, new Set()))];
  if (names.length === 0) return /(?!)/;
  return new RegExp(`"(?:${names.join("|")})"\\s*:\\s*(?:[[{]|"(?!${number}"))|\\\\u`);
}

function* integerNames(schema: DescMessage, seen: Set<DescMessage>): Generator<string> {
  if (seen.has(schema)) return;
  seen.add(schema);
  for (const field of schema.fields) {
    if (integers.has(field.scalar)) yield* [field.name, field.jsonName];
    if (field.message !== undefined) yield* integerNames(field.message, seen);
  }
}

function* misspeltIn(schema: DescMessage, json: unknown, prefix: string): Generator<string> {
  if (!isObject(json)) return;
  for (const field of schema.fields) {
    const name = Object.hasOwn(json, field.jsonName) ? field.jsonName : field.name;
    if (!Object.hasOwn(json, name)) continue;
    for (const [path, value] of valuesOf(field, json[name], prefix + field.jsonName)) {
      if (integers.has(field.scalar) && typeof value === "string" && !wholeNumber.test(value)) yield path;
      if (field.message !== undefined) yield* misspeltIn(field.message, value, `${path}.`);
    }
  }
}

/** Returns the values of a field with their paths. Map values get the path of the map, because its keys are caller input. */
function valuesOf(field: DescField, value: unknown, path: string): (readonly [string, unknown])[] {
  if (field.fieldKind === "list" && Array.isArray(value)) return value.map((each, at) => [`${path}[${at}]`, each]);
  if (field.fieldKind === "map" && isObject(value)) return Object.values(value).map((each) => [path, each]);
  return [[path, value]];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
