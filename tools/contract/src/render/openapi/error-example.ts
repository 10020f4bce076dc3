import type { JsonObject } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { Encode, Operation } from "../../model/contract.ts";
import { exampleOf } from "./examples.ts";
import { type ErrorReason, headerNamed, type PublishedApi } from "./published-api.ts";

/** In every example, so that examples are recognized in logs. */
export const exampleRequestId = "01980f6e-7d2c-7b43-9f1e-5a6b7c8d9e0f";

/** Creates the Error bodies that callers of an operation receive. */
export type ExampleError = (reason: ErrorReason, operation: Operation) => JsonObject;

export function createExampleErrors({ contract, package: owner }: PublishedApi): ExampleError {
  const { encode } = contract;

  function debugOf(detail: string, operation: Operation): JsonObject {
    if (detail !== "google.rpc.BadRequest") return exampleOf(detail, "response", contract);
    const [field] = contract.messages.get(operation.request)?.fields ?? [];
    return {
      fieldViolations: [{ field: field?.jsonName ?? "Idempotency-Key", description: "is required" }],
    };
  }

  return ({ name, code, message, details }, operation) => {
    const info = { reason: name, domain: owner.name, metadata: { requestId: exampleRequestId } };
    const others = details.map((detail) => encodedDetail(detail, debugOf(detail, operation), encode));
    return { code, message, details: [encodedDetail("google.rpc.ErrorInfo", info, encode), ...others] };
  };
}

/** The headers that come with the example of a reason, besides those of every response. */
export function exampleErrorHeaders(
  { headers, httpStatus }: ErrorReason,
  { requiredScopes }: Operation,
  api: PublishedApi,
): readonly (readonly [name: string, value: string])[] {
  return headers.map((name) => {
    const { const: only, example } = headerNamed(name, "response", api);
    // RFC 6750 section 3.1.
    const challenge = `Bearer error="insufficient_scope", scope="${requiredScopes.join(" ")}"`;
    return [name, name === "WWW-Authenticate" && httpStatus === 403 ? challenge : (only ?? example ?? "")];
  });
}

/** `value` is the message that `debug` shows, in unpadded base64. */
function encodedDetail(type: string, debug: JsonObject, encode: Encode): JsonObject {
  return { type, value: base64Encode(encode(type, debug), "std_raw"), debug };
}
