import { DeleteItemRequestSchema } from "@platform-rpc/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../rpc/refusal.js";
import { decodeMessage } from "./decode-message.js";

describe("decoding", () => {
  it("refuses with a Refusal whatever it is given, and never repeats it", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.constantFrom("", "{", "[]", "null")), (text) => {
        try {
          decodeMessage(DeleteItemRequestSchema, text);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Refusal);
          expect(thrown).toHaveProperty("reason", expect.stringMatching(/^(?:INVALID_FIELD|MALFORMED_JSON)$/));
          expect(thrown).toHaveProperty("cause", undefined);
        }
      }),
    );
  });
});
