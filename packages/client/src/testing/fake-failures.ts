import { Code } from "@connectrpc/connect";
import type { ContractErrorReason } from "../contract.js";

/** The reasons that a fake platform can fail with. A `VERSION_CONFLICT` has a detail: `conflictNext` causes one. */
export type FailureReason = Exclude<ContractErrorReason, "VERSION_CONFLICT">;

/** The code of each reason. A test keeps it equal to the contract. */
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
};

/** Codes that name the most common reasons. */
const common = {
  unavailable: "UNAVAILABLE",
  deadline_exceeded: "DEADLINE_EXCEEDED",
  resource_exhausted: "RATE_LIMITED",
  internal: "INTERNAL",
} as const satisfies Record<string, FailureReason>;

/** What `failNext` takes. */
export type Failure = FailureReason | keyof typeof common;

/** The reason that a failure is given by. */
export const reasonOf = (failure: Failure): FailureReason => (isReason(failure) ? failure : common[failure]);

const isReason = (failure: Failure): failure is FailureReason => failure in codes;

/** The headers that a refusal with a reason carries. */
export const headersOf = (reason: ContractErrorReason): Record<string, string> => {
  if (reason === "UNAUTHENTICATED") return { "WWW-Authenticate": 'Bearer error="invalid_token"' };
  if (reason !== "INSUFFICIENT_SCOPE") return {};
  return { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="vault.items:delete"' };
};
