import type { JsonObject } from "@bufbuild/protobuf";

/**
 * The request headers of the transport, by the name of their component. Content-Type and Authorization are not among
 * them: in OpenAPI the media type of the body and the security scheme stand for these.
 */
export const requestHeaders: Readonly<Record<string, JsonObject>> = {
  ConnectProtocolVersion: {
    name: "Connect-Protocol-Version",
    in: "header",
    required: true,
    description: "The version of the Connect protocol.",
    schema: { type: "string", const: "1" },
    example: "1",
  },
  ConnectTimeoutMs: {
    name: "Connect-Timeout-Ms",
    in: "header",
    description: "The time for the call in milliseconds, above 0. Default: 15000. More than 30000 counts as 30000.",
    schema: { type: "string", pattern: "^[0-9]{1,10}$", not: { pattern: "^0+$" } },
    example: "5000",
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Names this exchange, so that it can be retried: for 60 seconds the same principal gets the same answer again. 16 to 128 visible ASCII characters, made at random.",
    schema: { type: "string", minLength: 16, maxLength: 128, pattern: "^[\\x21-\\x7E]+$" },
    example: "7d0c1c43-53f1-4c5d-8f0e-2b1a90c7e6d4",
  },
  XRequestId: {
    name: "X-Request-Id",
    in: "header",
    description:
      "Names the request in answers and logs. Kept if it is 1 to 128 characters of `A-Za-z0-9._:-`, the first a letter or digit, and does not look like a token or code; otherwise the server makes one.",
    schema: { type: "string" },
  },
};
