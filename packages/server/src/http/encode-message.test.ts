import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzzRuns } from "../../test/wire/fuzz-runs.js";
import { type JsonWriter, publicContract } from "../contract/contract.js";
import { encodeMessage } from "./serve-call.js";

const responses = [...publicContract.operations.values()].map(
  ({ operation, method }) => [operation, method.output] as const,
);

/** Values that do not fit the types of most fields. */
const misfits = fc.constantFrom(
  undefined,
  null,
  "",
  "3",
  0,
  -1,
  -0,
  1.5,
  Number.NaN,
  true,
  1n,
  [],
  [undefined],
  {},
  "\ud800",
);
const timestamps = fc.oneof(
  fc.integer({ min: -1, max: 253_402_300_800_000 }).map(timestampFromMs),
  fc.record({
    seconds: fc.bigInt({ min: -62_135_596_801n, max: 253_402_300_800n }),
    nanos: fc.integer({ min: -1, max: 1e9 }),
  }),
  fc.record({
    seconds: fc.bigInt({ min: 0n, max: 1n << 33n }),
    nanos: fc.constantFrom(0, 1, 1_000, 1_000_000, 999_000_000),
  }),
);

function valuesOf(field: DescField): fc.Arbitrary<unknown> {
  const one: fc.Arbitrary<unknown> =
    field.message !== undefined
      ? fc.option(messagesOf(field.message), { nil: undefined })
      : field.scalar === ScalarType.STRING
        ? fc.string({ unit: "binary" })
        : field.scalar === ScalarType.BOOL
          ? fc.boolean()
          : fc.nat({ max: 2 ** 32 - 1 });
  return field.fieldKind === "list" ? fc.array(one, { maxLength: 3 }) : one;
}

/** Messages with a value for each field. A few are of another type or have one misfit. */
function messagesOf(schema: DescMessage): fc.Arbitrary<Message> {
  const { typeName } = schema;
  const fields =
    typeName === "google.protobuf.Timestamp"
      ? timestamps
      : fc.record(Object.fromEntries(schema.fields.map((field) => [field.localName, valuesOf(field)])));
  const names = schema.fields.map(({ localName }) => localName);
  const misfit = fc.tuple(fc.constantFrom(...names), misfits).map(([name, value]) => ({ [name]: value }));
  return fc
    .tuple(
      fields,
      fc.oneof({ weight: 40, arbitrary: fc.constant({}) }, misfit),
      fc.oneof({ weight: 40, arbitrary: fc.constant(typeName) }, fc.constantFrom("", "platform.v1.Cursor")),
    )
    .map(([values, other, $typeName]) => ({ ...create(schema), ...values, ...other, $typeName }));
}

/** The JSON, or the name and text of the error. */
function outcomeOf(schema: DescMessage, message: Message, write?: JsonWriter): string {
  try {
    return encodeMessage(schema, message, write);
  } catch (error) {
    return String(error);
  }
}

describe.each(responses)("a response of %s", (_, schema) => {
  it("is encoded the same with and without the generated shortcut", () => {
    const { writeJson } = publicContract;
    expect(writeJson?.(create(schema))).toBeDefined();
    fc.assert(
      fc.property(messagesOf(schema), (message) => {
        expect(outcomeOf(schema, message, writeJson)).toBe(outcomeOf(schema, message));
      }),
      { numRuns: fuzzRuns(2_000) },
    );
  });
});
