import { TokenFault } from "./bearer-token.js";
import type { Call } from "./call.js";
import { whyOver } from "./deadline.js";
import { summarizeCause } from "./error-cause.js";
import type { PlatformErrorCode } from "./error-code.js";
import type { PlatformErrorReason } from "./error-reason.js";
import { NetworkFailure } from "./network-failure.js";
import { isPlatformError, PlatformError, type PlatformErrorInit } from "./platform-error.js";
import { isTransient, repeatable } from "./retry-safety.js";

/** The reasons that the client itself gives: their code, and what happened. */
const local = {
  NETWORK_ERROR: ["unavailable", "No answer arrived, or only a part of one."],
  MALFORMED_RESPONSE: ["unknown", "The answer does not speak the contract of the platform."],
  TOKEN_UNAVAILABLE: ["unauthenticated", "The token provider failed."],
  INTERCEPTOR_FAILED: ["unknown", "An interceptor of this client threw."],
  ACCESS_DENIED: ["permission_denied", "The device authorization is denied."],
  EXPIRED_TOKEN: ["failed_precondition", "The device code has expired. Start again."],
  DEADLINE_EXCEEDED: ["deadline_exceeded", "The time for the call ran out."],
  CANCELED: ["canceled", "The caller aborted the call."],
  INVALID_FIELD: ["invalid_argument", "The call was not sent."],
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
  const violations = told.violations?.map(({ field, description }) => ` ${field} ${description}.`) ?? [];
  return platformError(
    { reason, code, message: message + violations.join(""), requestId: call.requestId, ...told },
    call,
  );
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
  const over = whyOver(signal);
  // A caller may abort with whatever it likes, also with an error that another call rejected with.
  if (isPlatformError(thrown) && !(over && thrown === signal.reason)) return thrown;
  if (over) return localError(over, call);
  return thrown instanceof NetworkFailure
    ? localError("NETWORK_ERROR", call, { cause: thrown.cause })
    : localError("MALFORMED_RESPONSE", call, { cause: thrown });
}

/** What it means that there is no token. Providers ask others, who may be out of reach for now. */
export function tokenError(cause: unknown, call: Call): PlatformError {
  const fault = cause instanceof TokenFault ? cause : undefined;
  const passing = fault?.passing ?? (isPlatformError(cause) ? cause.retryable : isOfNetwork(cause));
  return localError("TOKEN_UNAVAILABLE", call, {
    cause,
    ...(fault && { message: `The token provider failed: ${fault.message}.` }),
    ...(passing && { code: "unavailable" }),
  });
}

/**
 * Whether it looks as a network layer throws it: a `TypeError` as by `fetch`, an error with a code as by Node, or that of
 * `AbortSignal.timeout`.
 */
export function isOfNetwork(thrown: unknown): boolean {
  const { name, code } = summarizeCause(thrown) ?? {};
  return thrown instanceof TypeError || code !== undefined || name === "TimeoutError";
}
