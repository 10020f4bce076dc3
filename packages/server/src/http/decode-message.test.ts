import { DeleteItemRequestSchema } from "@platform-rpc/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RpcError } from "../services/rpc-error.js";
import { decodeMessage } from "./decode-message.js";

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
