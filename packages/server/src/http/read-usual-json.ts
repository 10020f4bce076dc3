import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";

type Values = Record<string, unknown>;

/** Reads the usual JSON of a message. Returns undefined for any other text. */
type UsualReader = (text: string) => Message | undefined;

/** Returns the value of a field in a message, or undefined if it is not usual. Counts the quotation marks of its text. */
type ValueReader = (value: unknown, quotes: Quotes) => unknown;

/** The number of quotation marks that the values and names which were read need. */
interface Quotes {
  count: number;
}

const usualScalars: ReadonlyMap<ScalarType | undefined, ValueReader> = new Map<ScalarType, ValueReader>([
  [
    ScalarType.STRING,
    (value, quotes) => {
      if (typeof value !== "string") return undefined;
      quotes.count += 2;
      return value;
    },
  ],
  [ScalarType.BOOL, (value) => (typeof value === "boolean" ? value : undefined)],
  [
    ScalarType.UINT32,
    (value) => (typeof value === "number" && value >>> 0 === value && !Object.is(value, -0) ? value : undefined),
  ],
]);

const { IMPLICIT: implicit } = FeatureSet_FieldPresence;
const readers = new WeakMap<DescMessage, UsualReader>();

/**
 * Reads a message from its usual JSON, in a third of the decoder's time. Usual JSON has the fields by their JSON names, each at
 * most once, numbers as numbers, and no escapes. Returns undefined for any other text, which the decoder must read or reject.
 *
 * Messages with fields other than strings, booleans, unsigned 32-bit integers, lists of them and other such messages are left to
 * the decoder.
 */
export function readUsualJson(schema: DescMessage, text: string): Message | undefined {
  let read = readers.get(schema);
  if (read === undefined) {
    read = compile(schema);
    readers.set(schema, read);
  }
  return read(text);
}

function compile(schema: DescMessage): UsualReader {
  const read = messageReader(schema, new Set());
  if (read === undefined) return () => undefined;
  return (text) => {
    if (text.includes("\\")) return undefined;
    const quotes: Quotes = { count: 0 };
    const message = read(parse(text), quotes);
    return countQuotes(text) === quotes.count ? message : undefined;
  };
}

/** Returns undefined if the message has a field of another type, or contains itself. */
function messageReader(schema: DescMessage, outer: ReadonlySet<DescMessage>) {
  if (outer.has(schema)) return undefined;
  const inner = new Set([...outer, schema]);
  const fields = new Map<string, { readonly localName: string; readonly read: ValueReader }>();
  const zero = create(schema);
  // To copy the empty message is faster, but copies share their lists and have no prototype.
  const isFlat = schema.fields.every(({ fieldKind, presence }) => fieldKind === "scalar" && presence === implicit);
  for (const field of schema.fields) {
    const read = field.oneof === undefined ? valueReader(field, inner) : undefined;
    if (read === undefined) return undefined;
    fields.set(field.jsonName, { localName: field.localName, read });
  }
  return (json: unknown, quotes: Quotes): Message | undefined => {
    if (!isObject(json)) return undefined;
    const message: Message & Values = isFlat ? { ...zero } : create(schema);
    for (const name in json) {
      const field = fields.get(name);
      const value = field?.read(json[name], quotes);
      if (field === undefined || value === undefined) return undefined;
      message[field.localName] = value;
      quotes.count += 2;
    }
    return message;
  };
}

function valueReader({ fieldKind, scalar, message }: DescField, outer: ReadonlySet<DescMessage>) {
  // Some messages of Google have another JSON than that of their fields.
  const isOwn = message?.typeName.startsWith("google.protobuf.") === false;
  const one: ValueReader | undefined = isOwn ? messageReader(message, outer) : usualScalars.get(scalar);
  if (fieldKind !== "list") return fieldKind === "scalar" || fieldKind === "message" ? one : undefined;
  if (one === undefined) return undefined;
  return (value: unknown, quotes: Quotes) => {
    if (!Array.isArray(value)) return undefined;
    const list = value.map((each: unknown) => one(each, quotes));
    return list.includes(undefined) ? undefined : list;
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(json: unknown): json is Readonly<Values> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/**
 * Counts the quotation marks of a text. Without escapes, each of them delimits a string. If the text has more of them than the
 * parsed object needs, a name occurs twice: `JSON.parse` dropped the first value.
 */
function countQuotes(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count += 1;
  return count;
}
