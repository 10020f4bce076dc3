import { createRegistry, fromBinary, fromJson, toJson } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema, VersionConflictSchema } from "@platform-rpc/types";
import { expect } from "vitest";
import type { PublicReason } from "../../src/contract/contract.js";
import type { WireAnswer } from "./wire-answer.js";

interface ErrorDetail {
  readonly type: string;
  readonly value: string;
  readonly debug: { readonly reason?: string };
}

/** The Error body of SPEC section 2. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

const details = createRegistry(ErrorInfoSchema, BadRequestSchema, RetryInfoSchema, VersionConflictSchema);

/** The table of DECISIONS section 6, written by hand so that it does not depend on the code under test. */
export const errorTable: Readonly<Record<PublicReason, readonly [code: string, httpStatus: number, detail?: string]>> =
  {
    INVALID_FIELD: ["invalid_argument", 400, "google.rpc.BadRequest"],
    MALFORMED_JSON: ["invalid_argument", 400],
    PROTOCOL_VERSION_REQUIRED: ["invalid_argument", 400],
    INVALID_TIMEOUT: ["invalid_argument", 400],
    TOKEN_IN_QUERY: ["invalid_argument", 400],
    MALFORMED_HTTP: ["invalid_argument", 400],
    UNAUTHENTICATED: ["unauthenticated", 401],
    TOKEN_NOT_ALLOWLISTED: ["permission_denied", 403],
    INSUFFICIENT_SCOPE: ["permission_denied", 403],
    ROLE_FORBIDS_DELETE: ["permission_denied", 403],
    PRINCIPAL_DISABLED: ["permission_denied", 403],
    VAULT_NOT_FOUND: ["not_found", 404],
    ITEM_NOT_FOUND: ["not_found", 404],
    DEVICE_CODE_INVALID: ["not_found", 404],
    VERSION_CONFLICT: ["aborted", 409, "platform.v1.VersionConflict"],
    DEVICE_CODE_CONSUMED: ["failed_precondition", 400],
    SEQUENCE_EXHAUSTED: ["out_of_range", 400],
    RATE_LIMITED: ["resource_exhausted", 429, "google.rpc.RetryInfo"],
    REQUEST_TOO_LARGE: ["resource_exhausted", 429],
    HEADERS_TOO_LARGE: ["resource_exhausted", 431],
    OPERATION_UNKNOWN: ["unimplemented", 404],
    METHOD_NOT_ALLOWED: ["unknown", 405],
    REQUEST_TIMEOUT: ["deadline_exceeded", 408],
    MEDIA_TYPE_UNSUPPORTED: ["unknown", 415],
    EXPECTATION_FAILED: ["unknown", 417],
    CANCELED: ["canceled", 499],
    INTERNAL: ["internal", 500],
    ENCODING_UNSUPPORTED: ["unimplemented", 501],
    UNAVAILABLE: ["unavailable", 503, "google.rpc.RetryInfo"],
    DEADLINE_EXCEEDED: ["deadline_exceeded", 504],
    DELEGATION_EXHAUSTED: ["permission_denied", 403],
  };

/**
 * Expects a response to be the complete error that DECISIONS section 6 defines for a reason: the status, the code, the
 * headers of every error, ErrorInfo as the first detail, the other detail of the reason if it has one, and in each detail
 * the same message in `value` and `debug`.
 *
 * @param metadata what the ErrorInfo contains besides the request id. Default: nothing.
 */
export function expectRpcError(
  answer: WireAnswer,
  reason: PublicReason,
  metadata: Readonly<Record<string, string>> = {},
): ErrorBody {
  const [code, httpStatus, detail] = errorTable[reason];
  const body: ErrorBody = JSON.parse(answer.body);
  expect(Object.keys(body), `${reason} is an Error body`).toEqual(["code", "message", "details"]);
  expect({ reason: body.details[0]?.debug.reason, status: answer.status, code: body.code }).toEqual({
    reason,
    status: httpStatus,
    code,
  });
  expect(body.message).not.toBe("");
  expect(answer.header("content-type")).toBe("application/json");
  expect(answer.header("cache-control")).toBe("no-store");
  expect(answer.header("x-content-type-options")).toBe("nosniff");
  const requestId = answer.header("x-request-id");
  expect(requestId).toMatch(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);

  expect(body.details.map(({ type }) => type)).toEqual(["google.rpc.ErrorInfo", ...(detail ? [detail] : [])]);
  expect(body.details[0]?.debug).toEqual({ reason, domain: "platform.v1", metadata: { ...metadata, requestId } });
  for (const each of body.details) expectDetailToAgree(each);
  const retryAfter = Number(answer.header("retry-after") ?? Number.NaN);
  if (detail === "google.rpc.RetryInfo") expect(retryAfter).toBeGreaterThanOrEqual(1);
  else expect(retryAfter).toBeNaN();
  return body;
}

/** Expects `value` to be unpadded base64 of the same message as `debug`. */
function expectDetailToAgree(detail: ErrorDetail): void {
  expect(Object.keys(detail)).toEqual(["type", "value", "debug"]);
  expect(detail.value).toMatch(/^[A-Za-z0-9+/]+$/);
  const schema = details.getMessage(detail.type);
  if (schema === undefined) throw new Error(`${detail.type} is not a detail of the contract`);
  const message = fromBinary(schema, base64Decode(detail.value));
  expect(toJson(schema, message, { alwaysEmitImplicit: true })).toEqual(detail.debug);
  expect(fromJson(schema, JSON.parse(JSON.stringify(detail.debug)))).toEqual(message);
}
