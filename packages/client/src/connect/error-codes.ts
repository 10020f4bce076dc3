import type { PlatformErrorCode } from "../error-code.js";

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
