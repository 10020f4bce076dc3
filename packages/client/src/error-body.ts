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

/** The JSON of the details that an error body may hold, all of them in one. */
interface Debug extends VersionConflictDetail {
  readonly reason: string;
  readonly domain: string;
  readonly retryDelay: string;
  readonly fieldViolations: readonly FieldViolation[];
}

/** What an error body would be. It is looked at, not believed: whatever does not fit makes `MALFORMED_RESPONSE`. */
export interface ErrorBody {
  readonly code?: PlatformErrorCode;
  readonly message?: string;
  readonly details?: readonly { readonly type?: string; readonly debug?: Debug }[];
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
  const detail = (type: string) => body?.details?.find((one) => one.type === type)?.debug;
  const info = detail("google.rpc.ErrorInfo");
  const conflict = detail("platform.v1.VersionConflict");
  // Seconds, or a google.protobuf.Duration in JSON, as "1.5s".
  const delay = headers.get("Retry-After") ?? detail("google.rpc.RetryInfo")?.retryDelay;
  const delayMs = Number.parseFloat(`${delay}`) * 1000;
  const told = { retryAfterMs: delayMs >= 0 ? delayMs : undefined };
  if (
    !body?.code ||
    info?.domain !== "platform.v1" ||
    !isErrorName(info.reason) ||
    (info.reason === "VERSION_CONFLICT" && !fillIn(versionConflictShape, conflict))
  ) {
    return failure(call, "MALFORMED_RESPONSE", fallback, told);
  }
  return failure(call, info.reason, body.code, {
    ...told,
    message: body.message,
    violations: detail("google.rpc.BadRequest")?.fieldViolations ?? [],
    detail: conflict,
  });
};

/**
 * The code of an answer without an error body, by the Connect protocol ("Error codes") but for 429: who asks for fewer calls is
 * not called again unless it says when.
 */
export const codeOfStatus = (status: number): PlatformErrorCode => {
  if (status === 401) return "unauthenticated";
  if (status === 429) return "resource_exhausted";
  return status > 501 ? "unavailable" : "unknown";
};
