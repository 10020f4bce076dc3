import { create, type DescMessage } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzzRuns } from "../wire/fuzz-runs.js";
import { publicContract } from "./contract.js";
import { compileQuickCheck } from "./quick-check.js";

const requests = [...publicContract.operations.values()].map(
  ({ operation, method }) => [operation, method.input] as const,
);
const ids = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,20}$/);
const lengths = fc.constantFrom(0, 1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 4096);
const text = fc.oneof(
  { weight: 6, arbitrary: ids },
  lengths.map((length) => "a".repeat(length)),
  lengths.map((length) => "\u{1F511}".repeat(length)),
  fc.string({ unit: "binary" }),
  fc.tuple(ids, fc.constantFrom("\n", " ", "\u0000", "\ud800", "/")).map(([id, end]) => id + end),
);
const number = fc.oneof(fc.constantFrom(0, 1, 2, 2 ** 31, 2 ** 32 - 1), fc.nat());

/** Messages of a schema with only scalar fields, most of them valid. */
function messagesOf(schema: DescMessage) {
  const fields = Object.fromEntries(
    schema.fields.map(({ localName, scalar }) => [localName, scalar === 9 ? text : number]),
  );
  return fc.record(fields, { requiredKeys: [] }).map((init) => create(schema, init));
}

describe.each(requests)("the quick check of %s", (_, schema) => {
  const validator = createValidator();
  const certainlyValid = compileQuickCheck(schema);

  it("accepts a message only if the validator does, and most valid ones", () => {
    let valid = 0;
    let accepted = 0;
    fc.assert(
      fc.property(messagesOf(schema), (message) => {
        const isValid = validator.validate(schema, message).kind === "valid";
        const isCertain = certainlyValid(message);
        if (isCertain) expect(isValid).toBe(true);
        valid += Number(isValid);
        accepted += Number(isCertain);
      }),
      { numRuns: fuzzRuns(2_000) },
    );
    expect(accepted).toBeGreaterThan(valid / 2);
  });
});
