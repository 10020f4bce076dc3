import type { Call } from "./call.js";
import { summarizeCause } from "./error-cause.js";
import type { PlatformErrorCode } from "./error-code.js";
import { type FieldViolation, isPlatformError, PlatformError } from "./platform-error.js";
import { firstRequestId } from "./request-id.js";
import { repeatable } from "./retry-safety.js";

/** Reasons that come without a detail, given by the client itself. */
type LocalReason =
  | "NETWORK_ERROR"
  | "MALFORMED_RESPONSE"
  | "TOKEN_UNAVAILABLE"
  | "INTERCEPTOR_FAILED"
  | "ACCESS_DENIED"
  | "EXPIRED_TOKEN"
  | "DEADLINE_EXCEEDED"
  | "CANCELED"
  | "INVALID_FIELD"
  | "INVALID_TIMEOUT";

const local = {
  NETWORK_ERROR: { code: "unavailable", message: "No answer arrived, or only a part of one." },
  MALFORMED_RESPONSE: { code: "unknown", message: "The answer does not speak the contract of the platform." },
  TOKEN_UNAVAILABLE: { code: "unauthenticated", message: "The token provider gave no bearer token." },
  INTERCEPTOR_FAILED: { code: "unknown", message: "An interceptor of this client threw." },
  ACCESS_DENIED: { code: "permission_denied", message: "The device authorization is denied." },
  EXPIRED_TOKEN: { code: "failed_precondition", message: "The device code has expired. Start again." },
  DEADLINE_EXCEEDED: { code: "deadline_exceeded", message: "The time for the call ran out." },
  CANCELED: { code: "canceled", message: "The caller aborted the call." },
  INVALID_FIELD: { code: "invalid_argument", message: "The call breaks a rule and was not sent." },
  INVALID_TIMEOUT: { code: "invalid_argument", message: "timeoutMs must be a whole number of 1 to 2147483647." },
} as const satisfies Record<LocalReason, { code: PlatformErrorCode; message: string }>;

/** What the failure of a call means to its caller. `thrown` is what an attempt, or the race against time, threw. */
export function callError(thrown: unknown, call: Call): PlatformError {
  if (isPlatformError(thrown)) return thrown;
  const over = call.deadline.over();
  if (over !== undefined) return localError(over, call);
  // Fetch rejects with TypeError, also while a body is read; transports of Node with system errors, which have a code.
  const network = thrown instanceof TypeError || summarizeCause(thrown)?.code !== undefined;
  return localError(network ? "NETWORK_ERROR" : "MALFORMED_RESPONSE", call, { cause: thrown });
}

/** An error that the client found itself. */
export function localError(
  reason: LocalReason,
  { operation, requestId, callerHasKey, secrets }: Pick<Call, "operation" | "requestId" | "callerHasKey" | "secrets">,
  more: {
    readonly cause?: unknown;
    readonly code?: PlatformErrorCode;
    readonly answeredId?: string | null | undefined;
    readonly violations?: readonly FieldViolation[];
    readonly retryAfterMs?: number | undefined;
  } = {},
): PlatformError {
  const { code = local[reason].code, answeredId, violations = [], retryAfterMs, cause } = more;
  const id = firstRequestId(requestId, secrets.passing(answeredId));
  return new PlatformError({
    reason,
    code,
    message: `${local[reason].message} (${reason}, request ${id})`,
    requestId: id,
    retryable: (code === "unavailable" || code === "deadline_exceeded") && repeatable(operation, callerHasKey),
    retryAfterMs,
    violations,
    detail: undefined,
    cause: summarizeCause(cause),
  });
}
