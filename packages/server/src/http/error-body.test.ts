import { ConnectError } from "@connectrpc/connect";
import { errorFromJson } from "@connectrpc/connect/protocol-connect";
import { BadRequestSchema, ErrorInfoSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { rpcError } from "../services/rpc-error.js";
import { errorBody } from "./error-body.js";

describe("DECISIONS 6: the Error body", () => {
  it("can be read by Connect's own parser, including its details", () => {
    const error = rpcError("INVALID_FIELD", { violations: [{ field: "itemId", description: "must not be empty" }] });
    const read = errorFromJson(JSON.parse(errorBody(error, "r-1")), undefined, new ConnectError("unread"));
    expect(read.code).toBe(error.code);
    expect(read.rawMessage).toBe(error.rawMessage);
    expect(read.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "INVALID_FIELD", domain: "platform.v1", metadata: { requestId: "r-1" } },
    ]);
    expect(read.findDetails(BadRequestSchema)).toMatchObject([
      { fieldViolations: [{ field: "itemId", description: "must not be empty" }] },
    ]);
  });

  it("has details with a value in unpadded base64, and the same message as JSON in debug", () => {
    const body = JSON.parse(errorBody(rpcError("INTERNAL"), "r-1"));
    expect(body).toEqual({
      code: "internal",
      message:
        "The server failed because of an internal error. Report the request id to the people who run the server.",
      details: [
        {
          type: "google.rpc.ErrorInfo",
          value: "CghJTlRFUk5BTBILcGxhdGZvcm0udjEaEAoJcmVxdWVzdElkEgNyLTE",
          debug: { reason: "INTERNAL", domain: "platform.v1", metadata: { requestId: "r-1" } },
        },
      ],
    });
  });
});
