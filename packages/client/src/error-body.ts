import { isErrorName } from "./contract.js";
import type { PlatformErrorCode } from "./error-code.js";
import { type Failed, failure } from "./failure.js";
import { fillIn, type Shape } from "./fill-in.js";
import type { FieldViolation, PlatformError, VersionConflictDetail } from "./platform-error.js";

/** A test keeps it equal to the descriptor of the contract. */
export const versionConflictShape: Shape<VersionConflictDetail> = {
  itemId: "",
  baseVersion: 0,
  currentVersion: 0,
  deleted: false,
  cursor: { vaultId: "", sequence: 0 },
};

/** The fields that the details of an error body may have in JSON: no two of the contract's have one in common. */
interface Debug {
  readonly reason?: string;
  readonly domain?: string;
  readonly retryDelay?: string;
  readonly fieldViolations?: readonly FieldViolation[];
}

/** What an error body would be. It is looked at, not believed: whatever does not fit makes `MALFORMED_RESPONSE`. */
export interface ErrorBody {
  readonly code?: PlatformErrorCode;
  readonly message?: string;
  readonly details?: readonly { readonly debug?: (Debug & VersionConflictDetail) | undefined }[];
}

/**
 * The error that an error body tells of (SPEC section 7), read from the JSON of its details. `fallback` is the code when it tells
 * of none.
 */
export const readErrorBody = (
  body: ErrorBody | null | undefined,
  fallback: PlatformErrorCode,
  headers: Headers,
  call: Failed,
): PlatformError => {
  const debugs = [body?.details].flat().map((detail) => detail?.debug);
  const { reason, domain, retryDelay, fieldViolations = [] }: Debug = Object.assign({}, ...debugs);
  const conflict = debugs.find((debug) => fillIn(versionConflictShape, debug));
  // A google.protobuf.Duration in JSON, as "1.5s", or seconds.
  const delayMs = Number.parseFloat(`${retryDelay ?? headers.get("Retry-After")}`) * 1000;
  const retryAfterMs = delayMs >= 0 ? delayMs : undefined;
  if (!body?.code || domain !== "platform.v1" || !isErrorName(reason) || (reason === "VERSION_CONFLICT" && !conflict)) {
    return failure(call, "MALFORMED_RESPONSE", fallback, { retryAfterMs });
  }
  const { code, message } = body;
  return failure(call, reason, code, { retryAfterMs, message, violations: fieldViolations, detail: conflict });
};

/**
 * The code of an answer without an error body: whether the token is to be replaced, or the call may be sent again. Who asks for
 * fewer calls is not called again unless it says when.
 */
export const codeOfStatus = (status: number): PlatformErrorCode => {
  if (status === 401) return "unauthenticated";
  if (status === 429) return "resource_exhausted";
  return status > 501 ? "unavailable" : "unknown";
};
