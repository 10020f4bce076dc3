import { type DescMessage, type FileRegistry, fromJson, type JsonObject, toBinary, toJson } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import type { ErrorReason } from "./error-reasons.ts";
import { examplesOf } from "./examples.ts";
import { guidance } from "./guidance.ts";
import type { PublicOperation } from "./public-operations.ts";

/** The domain of every ErrorInfo. */
export const errorDomain = "platform.v1";
/** In every example, so that they can be told from real ones. */
export const exampleRequestId = "01980f6e-7d2c-7b43-9f1e-5a6b7c8d9e0f";

const exampleHeaders: Readonly<Record<string, string>> = {
  "Accept-Post": "application/json",
  Allow: "POST",
  "Retry-After": "1",
};

/** The Error body that a caller of an operation receives for a reason. */
export function exampleError(reason: ErrorReason, operation: PublicOperation, contract: FileRegistry): JsonObject {
  const errorInfo = contract.getMessage("google.rpc.ErrorInfo");
  if (errorInfo === undefined) throw new TypeError("the contract has no google.rpc.ErrorInfo");
  const info = { reason: reason.name, domain: errorDomain, metadata: { requestId: exampleRequestId } };
  const others = reason.detail === undefined ? [] : [detail(reason.detail, exampleDetail(reason.detail, operation))];
  return { code: reason.code, message: guidanceOf(reason).message, details: [detail(errorInfo, info), ...others] };
}

/** The headers that come with the example of a reason, besides those of every answer. */
export function exampleErrorHeaders(
  { name: reason, headers }: ErrorReason,
  { requiredScopes }: PublicOperation,
): readonly (readonly [name: string, value: string])[] {
  const challenge =
    reason === "INSUFFICIENT_SCOPE"
      ? `error="insufficient_scope", scope="${requiredScopes.join(" ")}"`
      : 'error="invalid_token"';
  const values: Readonly<Record<string, string>> = { ...exampleHeaders, "WWW-Authenticate": `Bearer ${challenge}` };
  return headers.map((name) => [name, values[name] ?? ""]);
}

/** @throws TypeError when nobody has written down what to do about a reason. */
export function guidanceOf({ name }: ErrorReason) {
  const found = guidance[name];
  if (found === undefined) throw new TypeError(`${name} has no guidance: add it to guidance.ts`);
  return found;
}

function exampleDetail(schema: DescMessage, operation: PublicOperation): JsonObject {
  const debug = examplesOf(operation).errorDetails[schema.typeName];
  if (debug === undefined) throw new TypeError(`${operation.name} has no example of ${schema}: add it to examples.ts`);
  return debug;
}

/** `value` is the very message that `debug` shows, as unpadded base64. */
function detail(schema: DescMessage, debug: JsonObject): JsonObject {
  const message = fromJson(schema, debug);
  return {
    type: schema.typeName,
    value: base64Encode(toBinary(schema, message), "std_raw"),
    debug: toJson(schema, message, { alwaysEmitImplicit: true }),
  };
}
