import { fromJsonString } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { DeleteItemRequestSchema, DeleteItemResponseSchema } from "@platform-rpc/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMisspeltNumbers } from "./decode-message.js";

describe('DECISIONS section 2: a number is 3, 3.0 or "3", and no other string', () => {
  it.each(["3", "3.0", "3e0", "0", '"3"', '"0"', '"-3"', '"4294967295"', "null"])("accepts %s", (value) => {
    expect(findMisspeltNumbers(DeleteItemRequestSchema, `{"baseVersion": ${value}}`)).toEqual([]);
  });

  it("finds strings that the decoder accepts as a number although they are not plain digits", () => {
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
        const misspelt = !/^(?:0|[1-9][0-9]*)$/.test(value);
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
      message_type: [{}, { nestedType: [{ field: [{ number: "1e1" }] }] }],
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
