import { Code } from "@connectrpc/connect";
import type { ContractErrorReason } from "../error/code-and-reason.js";

/** The reasons that a fake platform can fail with. `VERSION_CONFLICT` needs a detail: use `conflictNext` instead. */
export type FailureReason = Exclude<ContractErrorReason, "VERSION_CONFLICT">;

/** The code of each reason. A test compares it with the contract. */
export const codes: Readonly<Record<FailureReason, Code>> = {
  INVALID_FIELD: Code.InvalidArgument,
  MALFORMED_JSON: Code.InvalidArgument,
  PROTOCOL_VERSION_REQUIRED: Code.InvalidArgument,
  INVALID_TIMEOUT: Code.InvalidArgument,
  TOKEN_IN_QUERY: Code.InvalidArgument,
  MALFORMED_HTTP: Code.InvalidArgument,
  UNAUTHENTICATED: Code.Unauthenticated,
  TOKEN_NOT_ALLOWLISTED: Code.PermissionDenied,
  INSUFFICIENT_SCOPE: Code.PermissionDenied,
  ROLE_FORBIDS_DELETE: Code.PermissionDenied,
  PRINCIPAL_DISABLED: Code.PermissionDenied,
  VAULT_NOT_FOUND: Code.NotFound,
  ITEM_NOT_FOUND: Code.NotFound,
  DEVICE_CODE_INVALID: Code.NotFound,
  DEVICE_CODE_CONSUMED: Code.FailedPrecondition,
  SEQUENCE_EXHAUSTED: Code.OutOfRange,
  RATE_LIMITED: Code.ResourceExhausted,
  REQUEST_TOO_LARGE: Code.ResourceExhausted,
  HEADERS_TOO_LARGE: Code.ResourceExhausted,
  OPERATION_UNKNOWN: Code.Unimplemented,
  METHOD_NOT_ALLOWED: Code.Unknown,
  REQUEST_TIMEOUT: Code.DeadlineExceeded,
  MEDIA_TYPE_UNSUPPORTED: Code.Unknown,
  EXPECTATION_FAILED: Code.Unknown,
  CANCELED: Code.Canceled,
  INTERNAL: Code.Internal,
  ENCODING_UNSUPPORTED: Code.Unimplemented,
  UNAVAILABLE: Code.Unavailable,
  DEADLINE_EXCEEDED: Code.DeadlineExceeded,
  DELEGATION_EXHAUSTED: Code.PermissionDenied,
};

/** Codes that stand for the most common reasons. */
const common = {
  unavailable: "UNAVAILABLE",
  deadline_exceeded: "DEADLINE_EXCEEDED",
  resource_exhausted: "RATE_LIMITED",
  internal: "INTERNAL",
} as const satisfies Record<string, FailureReason>;

/** A failure to simulate with `failNext`: a reason, or one of the common codes. */
export type Failure = FailureReason | "unavailable" | "deadline_exceeded" | "resource_exhausted" | "internal";

/** Returns the reason of a failure. */
export const reasonOf = (failure: Failure): FailureReason => (isCommon(failure) ? common[failure] : failure);

const isCommon = (failure: Failure): failure is keyof typeof common => Object.hasOwn(common, failure);

/** Returns the response headers of an error with this reason. */
export const headersOf = (reason: ContractErrorReason): Record<string, string> => {
  if (reason === "UNAUTHENTICATED") return { "WWW-Authenticate": 'Bearer error="invalid_token"' };
  if (reason !== "INSUFFICIENT_SCOPE") return {};
  return { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="vault.items:delete"' };
};
