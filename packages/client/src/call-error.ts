import { Code, ConnectError } from "@connectrpc/connect";
import { type ErrorInfo, ErrorInfoSchema } from "@platform/types";
import { answeredError } from "./answered-error.js";
import type { Call } from "./call.js";
import { summarizeCause } from "./error-cause.js";
import { errorCodeName, type PlatformErrorCode } from "./error-code.js";
import { InterceptorFault } from "./interceptor-fault.js";
import { type FieldViolation, isPlatformError, PlatformError } from "./platform-error.js";
import { firstRequestId, requestIdHeader } from "./request-id.js";
import { repeatable } from "./retry-safety.js";

/** Reasons that come without a detail, given by the client itself. */
type LocalReason =
  | "NETWORK_ERROR"
  | "MALFORMED_RESPONSE"
  | "TOKEN_UNAVAILABLE"
  | "INTERCEPTOR_FAILED"
  | "DEADLINE_EXCEEDED"
  | "CANCELED"
  | "INVALID_FIELD"
  | "INVALID_TIMEOUT";

const local = {
  NETWORK_ERROR: { code: "unavailable", message: "No answer arrived, or only a part of one." },
  MALFORMED_RESPONSE: { code: "unknown", message: "The answer does not speak the contract of the platform." },
  TOKEN_UNAVAILABLE: { code: "unauthenticated", message: "The token provider gave no bearer token." },
  INTERCEPTOR_FAILED: { code: "unknown", message: "An interceptor of this client threw." },
  DEADLINE_EXCEEDED: { code: "deadline_exceeded", message: "The time for the call ran out." },
  CANCELED: { code: "canceled", message: "The caller aborted the call." },
  INVALID_FIELD: { code: "invalid_argument", message: "The call breaks a rule and was not sent." },
  INVALID_TIMEOUT: { code: "invalid_argument", message: "timeoutMs must be a whole number of 1 to 2147483647." },
} as const satisfies Record<LocalReason, { code: PlatformErrorCode; message: string }>;

/** What the failure of a call means to its caller. `thrown` is what the transport, or the race against time, threw. */
export function callError(thrown: unknown, call: Call): PlatformError {
  if (isPlatformError(thrown)) return thrown;
  const info = platformErrorInfo(thrown);
  if (thrown instanceof ConnectError && info !== undefined) return answeredError(thrown, info, call);

  const over = call.deadline.over() ?? (isDeadline(thrown) ? "DEADLINE_EXCEEDED" : undefined);
  if (over !== undefined) return localError(over, call);
  const cause = thrown instanceof ConnectError ? thrown.cause : thrown;
  if (cause instanceof InterceptorFault) return localError("INTERCEPTOR_FAILED", call, { cause: cause.cause });
  // Fetch rejects with TypeError, also while a body is read; transports of Node with system errors, which have a code.
  if (cause instanceof TypeError || summarizeCause(cause)?.code !== undefined) {
    return localError("NETWORK_ERROR", call, { cause });
  }
  return thrown instanceof ConnectError
    ? localError("MALFORMED_RESPONSE", call, {
        cause,
        code: errorCodeName(thrown.code),
        answeredId: thrown.metadata.get(requestIdHeader),
      })
    : localError("MALFORMED_RESPONSE", call, { cause });
}

/** An error that the client found itself. */
export function localError(
  reason: LocalReason,
  { method, requestId, callerHasKey, secrets }: Pick<Call, "method" | "requestId" | "callerHasKey" | "secrets">,
  more: {
    readonly cause?: unknown;
    readonly code?: PlatformErrorCode;
    readonly answeredId?: string | null | undefined;
    readonly violations?: readonly FieldViolation[];
  } = {},
): PlatformError {
  const { code = local[reason].code, answeredId, violations = [], cause } = more;
  const id = firstRequestId(requestId, secrets.passing(answeredId));
  return new PlatformError({
    reason,
    code,
    message: `${local[reason].message} (${reason}, request ${id})`,
    requestId: id,
    retryable: (code === "unavailable" || code === "deadline_exceeded") && repeatable(method, callerHasKey),
    violations,
    detail: undefined,
    cause: summarizeCause(cause),
  });
}

function platformErrorInfo(thrown: unknown): ErrorInfo | undefined {
  if (!(thrown instanceof ConnectError)) return undefined;
  return thrown.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "platform.v1");
}

function isDeadline(thrown: unknown): boolean {
  return thrown instanceof ConnectError && thrown.code === Code.DeadlineExceeded;
}
