import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema, VersionConflictSchema } from "@platform-rpc/types";
import type { ContractErrorReason } from "../error/code-and-reason.js";
import type { FieldViolation, VersionConflictDetail } from "../error/platform-error.js";

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

export const reasonOf = (failure: Failure): FailureReason => (isCommon(failure) ? common[failure] : failure);

const isCommon = (failure: Failure): failure is keyof typeof common => Object.hasOwn(common, failure);

const headersOf = (reason: ContractErrorReason): Record<string, string> => {
  if (reason === "UNAUTHENTICATED") return { "WWW-Authenticate": 'Bearer error="invalid_token"' };
  if (reason !== "INSUFFICIENT_SCOPE") return {};
  return { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="vault.items:delete"' };
};

/** The page on which the person can allow more deletions. */
export const agentsPage = "https://platform.test/console/agents";

/** Creates an error as the platform sends it (SPEC section 7): google.rpc.ErrorInfo first, then the details of the reason. */
export function refuse(
  reason: ContractErrorReason,
  {
    requestId,
    retryAfter,
    conflict,
    budget = { allowed: 0, used: 0 },
    violations,
    text = `The fake platform rejects: ${reason}.`,
  }: RefusalDetails,
): ConnectError {
  const exhausted = reason === "DELEGATION_EXHAUSTED" && {
    allowed: `${budget.allowed}`,
    used: `${budget.used}`,
    page: agentsPage,
  };
  const metadata = { ...exhausted, requestId };
  const info = { desc: ErrorInfoSchema, value: { reason, domain: "platform.v1", metadata } };
  const seconds = retryAfter ?? 0;
  const delay = { seconds: BigInt(Math.trunc(seconds)), nanos: Math.round((seconds % 1) * 1e9) };
  return new ConnectError(text, reason === "VERSION_CONFLICT" ? Code.Aborted : codes[reason], headersOf(reason), [
    info,
    ...(retryAfter === undefined ? [] : [{ desc: RetryInfoSchema, value: { retryDelay: delay } }]),
    ...(violations === undefined ? [] : [{ desc: BadRequestSchema, value: { fieldViolations: [...violations] } }]),
    ...(conflict === undefined ? [] : [{ desc: VersionConflictSchema, value: { ...conflict } }]),
  ]);
}

export function refuseInvalid(violations: readonly FieldViolation[], requestId: string): void {
  if (violations.length > 0) throw refuse("INVALID_FIELD", { requestId, violations });
}

interface RefusalDetails {
  readonly requestId: string;
  /** What happened, if the reason alone does not say it. */
  readonly text?: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly conflict?: VersionConflictDetail;
  /** For DELEGATION_EXHAUSTED. Default: no deletion is allowed. */
  readonly budget?: { readonly allowed: number; readonly used: number };
  readonly violations?: readonly FieldViolation[];
}
