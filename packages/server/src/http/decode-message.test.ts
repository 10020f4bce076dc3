import { fromJsonString } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { DeleteItemRequestSchema, DeleteItemResponseSchema } from "@platform-rpc/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RpcError } from "../services/rpc-error.js";
import { decodeMessage, findMisspeltNumbers } from "./decode-message.js";

describe("decoding", () => {
  it("throws only INVALID_FIELD and MALFORMED_JSON for any input, without the decoder's error as the cause", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.constantFrom("", "{", "[]", "null")), (text) => {
        try {
          decodeMessage(DeleteItemRequestSchema, text);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(RpcError);
          expect(thrown).toHaveProperty("reason", expect.stringMatching(/^(?:INVALID_FIELD|MALFORMED_JSON)$/));
          expect(thrown).toHaveProperty("cause", undefined);
        }
      }),
    );
  });
});

describe("DECISIONS section 2: a number is a number of JSON, or a string that contains one, and no other string", () => {
  it.each(["3", "3.0", "3e0", "0", '"3"', '"0"', '"-3"', '"4294967295"', "null"])("accepts %s", (value) => {
    expect(findMisspeltNumbers(DeleteItemRequestSchema, `{"baseVersion": ${value}}`)).toEqual([]);
  });

  it.each(["3", "3.0", "3e0", "3E+0", "30e-1", "0.3e1"])('reads "%s" as 3', (value) => {
    const text = JSON.stringify({ vaultId: "v-1", itemId: "i-1", baseVersion: value });
    expect(decodeMessage(DeleteItemRequestSchema, text)).toMatchObject({ baseVersion: 3 });
  });

  it.each(["3.5", "3.", ".3e1", "+3", " 3", "03", "0x3", "3e", "1e400", "1_0", "", "Infinity"])(
    'rejects "%s"',
    (value) => {
      const decode = () => decodeMessage(DeleteItemRequestSchema, JSON.stringify({ baseVersion: value }));
      expect(decode).toThrow(expect.objectContaining({ reason: "INVALID_FIELD" }));
    },
  );

  it("finds strings that the decoder accepts as a number although JSON does not", () => {
    const spelling = fc.string({ unit: fc.constantFrom(..."0123456789xXoObBeE+-._ \n"), minLength: 1, maxLength: 5 });
    const near = fc.oneof(
      spelling,
      fc.nat().chain((n) => fc.constantFrom(`0x${n}`, `+${n}`, `${n}.0`, `0${n}`, `${n}`)),
    );
    let found = 0;
    fc.assert(
      fc.property(near, (value) => {
        const text = JSON.stringify({ vaultId: "0x1", baseVersion: value });
        try {
          fromJsonString(DeleteItemRequestSchema, text);
        } catch {
          return;
        }
        const misspelt = !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value);
        if (misspelt) found += 1;
        expect(findMisspeltNumbers(DeleteItemRequestSchema, text)).toEqual(misspelt ? ["baseVersion"] : []);
      }),
    );
    expect(found).toBeGreaterThan(5);
  });

  it("finds fields of nested messages and of lists, and returns their paths", () => {
    const item = { version: "+1", encryptedPayload: { version: "0x2" }, wrappedKeys: [{ recipientId: "+1" }] };
    const answer = JSON.stringify({ item, cursor: { sequence: "03" } });
    expect(findMisspeltNumbers(DeleteItemResponseSchema, answer)).toEqual([
      "item.version",
      "item.encryptedPayload.version",
      "cursor.sequence",
    ]);

    const file = {
      public_dependency: [1, "2", "0x3"],
      message_type: [{}, { nestedType: [{ field: [{ number: "01" }] }] }],
    };
    expect(findMisspeltNumbers(FileDescriptorProtoSchema, JSON.stringify(file))).toEqual([
      "publicDependency[2]",
      "messageType[1].nestedType[0].field[0].number",
    ]);
  });

  it("ignores unknown fields, text that looks like a field, and fields of other types", () => {
    for (const json of [
      { version: "0x1", more: { baseVersion: "0x1" } },
      { vaultId: "0x1", itemId: '"baseVersion":"0x1"' },
      { vaultId: "\u0001", itemId: "\\u0030" },
    ]) {
      expect(findMisspeltNumbers(DeleteItemRequestSchema, JSON.stringify(json))).toEqual([]);
    }
  });
});
