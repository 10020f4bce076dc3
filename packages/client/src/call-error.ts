import type { Call } from "./call.js";
import { whyOver } from "./deadline.js";
import { summarizeCause } from "./error-cause.js";
import type { PlatformErrorCode } from "./error-code.js";
import type { PlatformErrorReason } from "./error-reason.js";
import { isPlatformError, PlatformError, type PlatformErrorInit } from "./platform-error.js";
import { isTransient, repeatable } from "./retry-safety.js";

/** The reasons that the client itself gives: their code, and what happened. */
const local = {
  NETWORK_ERROR: ["unavailable", "No answer arrived, or only a part of one."],
  MALFORMED_RESPONSE: ["unknown", "The answer does not speak the contract of the platform."],
  TOKEN_UNAVAILABLE: ["unauthenticated", "The token provider gave no bearer token."],
  INTERCEPTOR_FAILED: ["unknown", "An interceptor of this client threw."],
  ACCESS_DENIED: ["permission_denied", "The device authorization is denied."],
  EXPIRED_TOKEN: ["failed_precondition", "The device code has expired. Start again."],
  DEADLINE_EXCEEDED: ["deadline_exceeded", "The time for the call ran out."],
  CANCELED: ["canceled", "The caller aborted the call."],
  INVALID_FIELD: ["invalid_argument", "The call breaks a rule and was not sent."],
  INVALID_TIMEOUT: ["invalid_argument", "timeoutMs must be a whole number of 1 to 2147483647."],
} as const satisfies Partial<Record<PlatformErrorReason, readonly [PlatformErrorCode, string]>>;

type LocalReason = keyof typeof local;

/** What is known of a call before its clock runs. */
type Named = Pick<Call, "operation" | "requestId" | "callerHasKey">;

type Told = Omit<PlatformErrorInit<PlatformErrorReason>, "retryable" | "detail" | "cause"> &
  Partial<Pick<PlatformErrorInit<PlatformErrorReason>, "detail">> & { readonly cause?: unknown };

/** An error that the client found itself; `told` is what is known besides. */
export function localError(reason: LocalReason, call: Named, told: Partial<Told> = {}): PlatformError {
  const [code, message] = local[reason];
  return platformError({ reason, code, message, requestId: call.requestId, ...told }, call);
}

/** The error of a call. `name` is the reason as the server gave it. */
export function platformError(
  told: Told,
  { operation, callerHasKey }: Named,
  name: string = told.reason,
): PlatformError {
  const { reason, message, requestId } = told;
  // Refused before anything was done.
  const harmless = reason === "RATE_LIMITED" || reason === "REQUEST_TIMEOUT";
  return new PlatformError({
    detail: undefined,
    ...told,
    message: `${message} (${name}, request ${requestId})`,
    retryable: harmless || (isTransient(told) && repeatable(operation, callerHasKey)),
    cause: summarizeCause(told.cause),
  });
}

/**
 * What the failure of a call means to its caller. `thrown` is what an attempt, or the race against time, threw; `signal`
 * that of its deadline.
 */
export function callError(thrown: unknown, call: Call, signal = call.deadline.signal): PlatformError {
  if (isPlatformError(thrown)) return thrown;
  // Fetch rejects with TypeError, also while a body is read; transports of Node with system errors, which have a code.
  const network = thrown instanceof TypeError || summarizeCause(thrown)?.code !== undefined;
  const over = whyOver(signal);
  return localError(over ?? (network ? "NETWORK_ERROR" : "MALFORMED_RESPONSE"), call, over ? {} : { cause: thrown });
}
