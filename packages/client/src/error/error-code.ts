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

/** Returns whether a value is a code of the Connect protocol. */
export function isErrorCode(value: unknown): value is PlatformErrorCode {
  return errorCodes.some((code) => code === value);
}
