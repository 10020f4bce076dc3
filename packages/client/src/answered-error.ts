import type { Call } from "./call.js";
import type { PlatformErrorCode } from "./error-code.js";
import { isContractErrorReason, type PlatformErrorReason } from "./error-reason.js";
import { type FieldViolation, PlatformError, type VersionConflictDetail } from "./platform-error.js";
import { firstRequestId } from "./request-id.js";
import { repeatable } from "./retry-safety.js";

/** An error body of the platform, in whatever form it came. */
export interface Refusal {
  readonly code: PlatformErrorCode;
  readonly message: string;
  /** From google.rpc.ErrorInfo. */
  readonly reason: string;
  /** What may be the request id, the best first. */
  readonly requestIds: readonly (string | null | undefined)[];
  /** From google.rpc.RetryInfo or Retry-After: milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly violations: readonly FieldViolation[];
  readonly conflict: VersionConflictDetail | undefined;
}

/** The error that an error body of the platform tells of. */
export function answeredError(refusal: Refusal, call: Call): PlatformError {
  const { secrets } = call;
  const { code, retryAfterMs, conflict } = refusal;
  const reason = isContractErrorReason(refusal.reason) ? refusal.reason : "UNKNOWN";
  const requestId = firstRequestId(call.requestId, ...refusal.requestIds.map(secrets.passing));
  const told = {
    code,
    requestId,
    message: `${secrets.withhold(refusal.message)} (${secrets.withhold(refusal.reason)}, request ${requestId})`,
    retryable: retryable(reason, code, retryAfterMs, call),
    retryAfterMs,
    violations: refusal.violations.map(({ field, description }) => ({
      field: secrets.withhold(field),
      description: secrets.withhold(description),
    })),
  };
  if (reason !== "VERSION_CONFLICT") return new PlatformError({ ...told, reason, detail: undefined });
  return conflict === undefined || [conflict.itemId, conflict.cursor.vaultId].map(secrets.passing).includes(undefined)
    ? new PlatformError({ ...told, reason: "MALFORMED_RESPONSE", detail: undefined })
    : new PlatformError({ ...told, reason, detail: conflict });
}

function retryable(
  reason: PlatformErrorReason,
  code: PlatformErrorCode,
  retryAfterMs: number | undefined,
  { operation, callerHasKey }: Call,
): boolean {
  // Refused before anything was done.
  if (reason === "RATE_LIMITED" || reason === "REQUEST_TIMEOUT") return true;
  const transient = code === "unavailable" || code === "deadline_exceeded" || retryAfterMs !== undefined;
  return transient && repeatable(operation, callerHasKey);
}
