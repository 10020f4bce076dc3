import type { ErrorReason } from "@platform-rpc/types";

/** An error code of the Connect protocol, as error bodies contain it. */
export type PlatformErrorCode =
  | "canceled"
  | "unknown"
  | "invalid_argument"
  | "deadline_exceeded"
  | "not_found"
  | "already_exists"
  | "permission_denied"
  | "resource_exhausted"
  | "failed_precondition"
  | "aborted"
  | "out_of_range"
  | "unimplemented"
  | "internal"
  | "unavailable"
  | "data_loss"
  | "unauthenticated";

/** The codes in the order of their numbers from 1. */
export const errorCodes: readonly PlatformErrorCode[] = [
  "canceled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
  "unauthenticated",
];

export function isErrorCode(value: unknown): value is PlatformErrorCode {
  return errorCodes.some((code) => code === value);
}

/** A reason of the contract: the names of `platform.v1.ErrorReason`. */
export type ContractErrorReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/**
 * A reason that only this package uses, for failures that are not an error response of the platform:
 *
 * - `NETWORK_ERROR`: no response arrived, or only a part of one. The call may have taken effect, unless its cause says that the
 *   server was never reached, such as `ECONNREFUSED`.
 * - `MALFORMED_RESPONSE`: the response is not one of the platform's: a proxy's page, broken JSON, a missing field, or more than
 *   1 MiB.
 * - `TOKEN_UNAVAILABLE`: the token provider failed, or returned something that is not a bearer token. This attempt was not
 *   sent; an earlier one may have taken effect.
 * - `INTERCEPTOR_FAILED`: an interceptor of the client threw.
 * - `ACCESS_DENIED`: the user denied the login.
 * - `EXPIRED_TOKEN`: the device code, or the login in a browser, expired.
 */
export type ClientErrorReason =
  | "NETWORK_ERROR"
  | "MALFORMED_RESPONSE"
  | "TOKEN_UNAVAILABLE"
  | "INTERCEPTOR_FAILED"
  | "ACCESS_DENIED"
  | "EXPIRED_TOKEN";

/**
 * Why a call failed: a closed union, generated from the contract, so that a `switch` over it can be exhaustive. A newer platform
 * may return a reason that this version does not know yet. Handle such a reason by `code` and `retryable`.
 */
export type PlatformErrorReason = ContractErrorReason | ClientErrorReason;

/** Returns whether a name can be a reason, perhaps of a newer contract. google.rpc.ErrorInfo allows 63 characters. */
export function isReasonName(name: unknown): name is ContractErrorReason {
  return typeof name === "string" && /^[A-Z_\d]{1,63}$/.test(name);
}
