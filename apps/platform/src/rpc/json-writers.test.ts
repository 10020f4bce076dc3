import { create, type DescField, type DescMessage, type Message, ScalarType, toJson } from "@bufbuild/protobuf";
import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const { writeJson, operations } = internalContract;
const responses = [...operations.values()].map(({ operation, method }) => [operation, method.output] as const);

/** Every text, every time to the millisecond, and a few values that only the general encoder writes or rejects. */
const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", '"\\\n', "\u2028", "\ud800", "__proto__"));
const misfits = fc.constantFrom(undefined, null, "3", 1.5, Number.NaN, 1n, [undefined], {}, "\ud800");
const timestamps = fc.record({
  seconds: fc.oneof(
    fc.bigInt({ min: 0n, max: 253_402_300_799n }),
    fc.constantFrom(-1n, 951_782_400n, 1_709_251_199n, 4_107_542_399n, 253_402_300_800n),
  ),
  nanos: fc.oneof(
    fc.integer({ min: 0, max: 999 }).map((ms) => ms * 1e6),
    fc.constantFrom(0, 1, 1_000, -1, 1e9),
  ),
});

function valuesOf(field: DescField): fc.Arbitrary<unknown> {
  const one: fc.Arbitrary<unknown> =
    field.message !== undefined
      ? fc.option(messagesOf(field.message), { nil: undefined })
      : field.scalar === ScalarType.STRING
        ? texts
        : field.scalar === ScalarType.BOOL
          ? fc.boolean()
          : fc.nat({ max: 2 ** 32 - 1 });
  const rare = { weight: 1, arbitrary: misfits };
  const any = field.fieldKind === "list" ? fc.array(one, { maxLength: 3 }) : one;
  return fc.oneof({ weight: 60, arbitrary: any }, rare);
}

function messagesOf(schema: DescMessage): fc.Arbitrary<Message> {
  const fields =
    schema.typeName === "google.protobuf.Timestamp"
      ? timestamps
      : fc.record(Object.fromEntries(schema.fields.map((field) => [field.localName, valuesOf(field)])));
  return fields.map((values) => ({ ...create(schema), ...values }));
}

/** The JSON, or undefined for a message that the encoder rejects. */
function jsonOf(encode: () => unknown): string | undefined {
  try {
    return JSON.stringify(encode());
  } catch {
    return undefined;
  }
}

describe.each(responses)("a response of %s", (_, schema) => {
  it("has a generated function, which writes what the general encoder writes, or throws", () => {
    expect(writeJson?.(create(schema))).toBeDefined();
    let written = 0;
    fc.assert(
      fc.property(messagesOf(schema), (message) => {
        const text = jsonOf(() => writeJson?.(message));
        if (text === undefined) return;
        expect(text).toBe(jsonOf(() => toJson(schema, message, { alwaysEmitImplicit: true })));
        written += 1;
      }),
      { numRuns: 500 },
    );
    expect(written).toBeGreaterThan(50);
  });
});
