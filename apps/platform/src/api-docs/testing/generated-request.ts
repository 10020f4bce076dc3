import fc from "fast-check";
import { z } from "zod";
import type { DocumentedHeader, DocumentedOperation } from "./documented-operation.js";

export interface GeneratedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Schema = Readonly<Record<string, unknown>>;
type Body = Readonly<Record<string, unknown>>;
/** For each field, by name, values that exist. */
type Known = Readonly<Record<string, readonly unknown[]>>;

const objectSchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  required: z.array(z.string()),
});
const stringSchema = z.object({
  type: z.literal("string"),
  const: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.number().default(0),
  maxLength: z.number().default(64),
});
const integerSchema = z.object({ type: z.literal("integer"), minimum: z.number(), maximum: z.number() });
const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
/** Short deadlines are left out: a loaded machine may miss them, and they are not tested here. */
const patient = (name: string, value: string) => name !== "Connect-Timeout-Ms" || Number(value) >= 10_000;

/** Generates requests that the document allows, also with unknown fields. Two in three have `known` values. */
export function validRequest(operation: DocumentedOperation, known: Known): fc.Arbitrary<GeneratedRequest> {
  return fc
    .record({ headers: validHeaders(operation), body: validBody(operation, known) })
    .map(({ headers, body }) => ({ headers, body: JSON.stringify(body) }));
}

/** Generates requests with exactly one thing the document does not allow: in a header, in a field, or in the whole body. */
export function invalidRequest(operation: DocumentedOperation, known: Known): fc.Arbitrary<GeneratedRequest> {
  const headers = validHeaders(operation);
  const body = validBody(operation, known);
  const badHeaders = fc
    .tuple(headers, fc.constantFrom(...operation.requestHeaders.filter(isRejectable)))
    .chain(([good, header]) => badHeader(header).map((bad) => withHeader(good, header.name, bad)));
  const { properties, required } = objectSchema.parse(operation.requestSchema);
  const badFields = fc
    .tuple(
      body,
      fc.oneof(
        ...Object.entries(properties).map(([field, schema]) =>
          badValue(schema)
            // The server accepts null as an absent field.
            .filter((value) => value !== null || required.includes(field))
            .map((value) => ({ [field]: value })),
        ),
      ),
    )
    .map(([good, bad]) => ({ ...good, ...bad }))
    .filter((bad) => !operation.validateRequest(JSON.parse(JSON.stringify(bad))));
  return fc.oneof(
    fc.record({ headers: badHeaders, body: body.map((good) => JSON.stringify(good)) }),
    fc.record({ headers, body: badFields.map((bad) => JSON.stringify(bad)) }),
    fc.record({
      headers,
      body: fc.tuple(body, fc.constantFrom(...corruptions)).map(([good, corrupt]) => corrupt(JSON.stringify(good))),
    }),
  );
}

/** Functions that turn a body into one that is not a single JSON object in UTF-8 with unique keys. */
const corruptions: readonly ((good: string) => string)[] = [
  () => "",
  () => "null",
  (good) => `[${good}]`,
  (good) => good.slice(0, -1),
  (good) => `${good}${good}`,
  (good) => `\uFEFF${good}`,
  (good) => good.replace(/^\{("[^"]+":)/, "{$1 null, $1"),
];

/** Generates invalid values; undefined omits the field. Excludes numbers in strings, which the document accepts. */
function badValue(schema: Schema): fc.Arbitrary<unknown> {
  const integer = integerSchema.safeParse(schema).data;
  const beyond =
    integer === undefined
      ? ["", "a".repeat(stringSchema.parse(schema).maxLength + 1), "a b", "/", "é", "\u0000", "x\n"]
      : [integer.minimum - 1, integer.maximum + 1, 1.5, -1];
  const otherType = fc.oneof(fc.constantFrom(undefined, null, true, {}, []), fc.jsonValue()).filter(isNotString);
  return fc.oneof(fc.constantFrom(...beyond), otherType);
}

function isNotString(value: unknown): boolean {
  return typeof value !== "string";
}

function validHeaders({ requestHeaders }: DocumentedOperation): fc.Arbitrary<Record<string, string>> {
  const values = Object.fromEntries(
    requestHeaders.map(({ name, schema, validate }) => [
      name,
      valid(schema, visible)
        .filter((value) => validate(value) === true && patient(name, String(value)))
        .map(String),
    ]),
  );
  const requiredKeys = requestHeaders.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(values, { requiredKeys });
}

function validBody({ requestSchema }: DocumentedOperation, known: Known): fc.Arbitrary<Body> {
  const { properties, required } = objectSchema.parse(requestSchema);
  const body = (isKnown: (name: string) => boolean): fc.Arbitrary<Body> => {
    const fields = Object.entries(properties).map(([name, schema]) => {
      const values = isKnown(name) ? known[name] : undefined;
      return [name, values === undefined ? valid(schema) : fc.constantFrom(...values)];
    });
    return fc.record(Object.fromEntries(fields), { requiredKeys: required });
  };
  const unknownFields = fc.dictionary(
    fc.string().map((name) => `x-${name}`),
    fc.jsonValue(),
    { maxKeys: 3 },
  );
  const allKnown = body(() => true);
  // Only the server issues page tokens: it may reject one that matches the schema.
  const fields = fc.oneof(
    allKnown,
    allKnown,
    body((name) => name === "pageToken"),
  );
  return fc.tuple(fields, fc.oneof(fc.constant({}), unknownFields)).map(([some, others]) => ({ ...some, ...others }));
}

function valid(schema: Schema, unit: "binary" | fc.Arbitrary<string> = "binary"): fc.Arbitrary<unknown> {
  const integer = integerSchema.safeParse(schema).data;
  if (integer !== undefined) {
    const { minimum: min, maximum: max } = integer;
    return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
  }
  const { const: only, pattern, minLength, maxLength } = stringSchema.parse(schema);
  if (only !== undefined) return fc.constant(only);
  const longest = (length: number) => fc.string({ minLength: length, maxLength: length, unit });
  if (pattern === undefined) return fc.oneof(fc.string({ minLength, maxLength, unit }), longest(maxLength));
  // With the length in the pattern, most generated values fit; the filter removes the others.
  const ofLengths = (least: number) =>
    fc.stringMatching(new RegExp(pattern.replace(/[*+]\$$/, `{${Math.max(least - 1, 0)},${maxLength - 1}}$`)));
  return fc
    .oneof(ofLengths(minLength), ofLengths(maxLength))
    .filter((value) => value.length >= minLength && value.length <= maxLength && new RegExp(pattern, "u").test(value));
}

/** Returns whether a header can have an invalid value. */
function isRejectable({ required, schema }: DocumentedHeader): boolean {
  return required || Object.keys(schema).length > 1;
}

/** Generates invalid values of a header; undefined omits it. */
function badHeader({ required, validate }: DocumentedHeader): fc.Arbitrary<string | undefined> {
  const wrong = fc.string({ unit: visible, maxLength: 200 }).filter((value) => !validate(value));
  return required ? fc.oneof(wrong, fc.constant(undefined)) : wrong;
}

function withHeader(headers: Readonly<Record<string, string>>, name: string, value: string | undefined) {
  const { [name]: _, ...others } = headers;
  return value === undefined ? others : { ...others, [name]: value };
}
