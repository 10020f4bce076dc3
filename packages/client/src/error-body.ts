import { isErrorName } from "./contract.js";
import { errorCodes, type PlatformErrorCode } from "./error-code.js";
import { type Failed, failure } from "./failure.js";
import type { FieldViolation, PlatformError, VersionConflictDetail } from "./platform-error.js";
import { rebuild, type Shape } from "./rebuild.js";

/** A test keeps it equal to the descriptor of the contract. */
export const versionConflictShape: Shape<VersionConflictDetail> = {
  itemId: "",
  baseVersion: 0,
  currentVersion: 0,
  deleted: false,
  cursor: { vaultId: "", sequence: 0 },
};

const violationsShape: Shape<readonly FieldViolation[]> = [{ field: "", description: "" }];

/** The fields that an error body, and the details in it, may have in JSON: whatever they hold. */
type Fields = {
  readonly [Name in "code" | "message" | "details" | "debug" | DebugField]?: unknown;
};
type DebugField = "reason" | "domain" | "retryDelay" | "fieldViolations";

/** None, when the value is no object. */
const fieldsOf = (value: unknown): Fields => Object(value);

/**
 * The error that an error body tells of (SPEC section 7), read from the JSON of its details: no two of the contract's have a field
 * in common. Untrusted input: everything is rebuilt from its shape, and whatever does not fit makes `MALFORMED_RESPONSE`.
 * `fallback` is the code when it tells of none.
 */
export const readErrorBody = (
  body: unknown,
  fallback: PlatformErrorCode,
  headers: Headers,
  call: Failed,
): PlatformError => {
  const { code, message, details } = fieldsOf(body);
  const debugs = [details].flat().map((detail) => fieldsOf(fieldsOf(detail).debug));
  const detailed = (field: DebugField) => debugs.map((debug) => debug[field]).find((value) => value !== undefined);
  const reason = debugs.find(({ domain }) => domain === "platform.v1")?.reason;
  const isConflict = reason === "VERSION_CONFLICT";
  const detail = isConflict ? debugs.map((debug) => rebuild(versionConflictShape, debug)).find(Boolean) : undefined;
  // A google.protobuf.Duration in JSON, as "1.5s", or seconds.
  const delay = [detailed("retryDelay"), headers.get("Retry-After")].find((value) => typeof value === "string");
  const delayMs = Number.parseFloat(`${delay}`) * 1000;
  const retryAfterMs = delayMs >= 0 ? delayMs : undefined;
  if (!isErrorName(reason) || (isConflict && !detail))
    return failure(call, "MALFORMED_RESPONSE", fallback, { retryAfterMs });
  return failure(call, reason, errorCodes.find((known) => known === code) ?? fallback, {
    retryAfterMs,
    message: typeof message === "string" ? message : undefined,
    violations: rebuild(violationsShape, detailed("fieldViolations")) ?? [],
    detail,
  });
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
