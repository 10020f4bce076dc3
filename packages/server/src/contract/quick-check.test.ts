import {
  create,
  createFileRegistry,
  createRegistry,
  type DescMessage,
  type Message,
  ScalarType,
  setExtension,
} from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Type,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  timestampFromMs,
} from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import {
  FieldRulesSchema,
  field as fieldRules,
  file_buf_validate_validate,
  StringRulesSchema,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzzRuns } from "../../test/wire/fuzz-runs.js";
import { publicContract } from "./contract.js";
import { compileQuickCheck } from "./quick-check.js";

// The constraints of responses are not enforced, but their messages are nested.
const messages = [...publicContract.operations.values()].flatMap(({ method }) =>
  [method.input, method.output].map((schema) => [schema.typeName, schema] as const),
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
const times = fc.nat().map(timestampFromMs);
const number = fc.oneof(fc.constantFrom(0, 1, 2, 2 ** 31, 2 ** 32 - 1), fc.nat());

/** Messages of a schema, most of them valid. */
function messagesOf(schema: DescMessage): fc.Arbitrary<Message> {
  const fields = Object.fromEntries(
    schema.fields.map(({ localName, fieldKind, scalar, message }) => {
      const scalars = scalar === ScalarType.BOOL ? fc.boolean() : scalar === ScalarType.STRING ? text : number;
      const one: fc.Arbitrary<unknown> =
        message === undefined ? scalars : message.file.proto.package === "platform.v1" ? messagesOf(message) : times;
      return [localName, fieldKind === "list" ? fc.array(one, { maxLength: 2 }) : one];
    }),
  );
  return fc.record(fields, { requiredKeys: [] }).map((init) => create(schema, init));
}

describe.each(messages)("the quick check of %s", (_, schema) => {
  const validator = createValidator();
  const certainlyValid = compileQuickCheck(schema, createRegistry());

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

it("leaves a message with a predefined rule that the registry does not know to the validator", () => {
  const rules = create(StringRulesSchema);
  rules.$unknown = [{ no: 80_000, wireType: 0, data: Uint8Array.of(1) }];
  const options = create(FieldOptionsSchema);
  setExtension(options, fieldRules, create(FieldRulesSchema, { type: { case: "string", value: rules } }));
  const string = { name: "id", number: 1, type: FieldDescriptorProto_Type.STRING, options };
  const file = create(FileDescriptorProtoSchema, {
    ...{ name: "own.proto", syntax: "proto3", dependency: [file_buf_validate_validate.proto.name] },
    messageType: [{ name: "Own", field: [string] }],
  });
  const own = createFileRegistry(file, () => file_buf_validate_validate).getMessage("Own");
  if (own === undefined) throw new TypeError("the file has no message");
  expect(compileQuickCheck(own, createRegistry())(create(own, { id: "a" }))).toBe(false);
});
