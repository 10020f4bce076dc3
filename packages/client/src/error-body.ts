import type { Call } from "./call.js";
import { localError, platformError } from "./call-error.js";
import { errorCodes, type PlatformErrorCode } from "./error-code.js";
import { isContractErrorReason } from "./error-reason.js";
import { fillIn } from "./fill-in.js";
import type { PlatformError } from "./platform-error.js";
import { firstRequestId, requestIdHeader } from "./request-id.js";
import { withhold } from "./secrets.js";

/** A test keeps it equal to the descriptor of the contract. */
export const emptyVersionConflict = {
  itemId: "",
  baseVersion: 0,
  currentVersion: 0,
  deleted: false,
  cursor: { vaultId: "", sequence: 0 },
};

/**
 * The error that an error body tells of (SPEC section 7), read from the JSON of its details. `fallback` is the code when
 * it tells of none.
 */
export function readErrorBody(
  given: unknown,
  fallback: PlatformErrorCode,
  headers: Headers,
  call: Call,
  cause?: unknown,
): PlatformError {
  const kept: unknown = JSON.parse(JSON.stringify(given ?? null), (name, value) =>
    typeof value === "string" && !/^(code|type|reason|domain)$/.test(name) ? withhold(value, call.secrets) : value,
  );
  const body = fillIn({ code: "", message: "", details: [{ type: "" }] }, kept) ? kept : undefined;
  const detail = <T>(type: string, empty: T): T | undefined => {
    const found = body?.details.find((one) => one.type === type);
    return found !== undefined && "debug" in found && fillIn(empty, found.debug) ? found.debug : undefined;
  };
  const info = detail("google.rpc.ErrorInfo", { reason: "", domain: "", metadata: { requestId: "" } });
  const conflict = detail("platform.v1.VersionConflict", emptyVersionConflict);
  const violations = detail("google.rpc.BadRequest", { fieldViolations: [{ field: "", description: "" }] });
  // A google.protobuf.Duration in JSON, as "1.5s"; or a number of seconds, or a date (RFC 9110 section 10.2.3), which is
  // as the server's own clock has it.
  const delay = detail("google.rpc.RetryInfo", { retryDelay: "" })?.retryDelay ?? headers.get("Retry-After") ?? "";
  const delayMs = /^-?\d+(\.\d+)?s?$/.test(delay)
    ? Number.parseFloat(delay) * 1000
    : Date.parse(/GMT$/.test(delay) ? delay : "") - Date.parse(headers.get("Date") ?? "");
  const code = errorCodes.find((one) => one === body?.code);
  const told = {
    code: code ?? fallback,
    requestId: firstRequestId(
      call.requestId,
      info?.metadata.requestId,
      withhold(headers.get(requestIdHeader) ?? "", call.secrets),
    ),
    retryAfterMs: Number.isNaN(delayMs) ? undefined : Math.max(0, Math.ceil(delayMs)),
    violations: violations?.fieldViolations ?? [],
    detail: conflict,
    cause,
  };
  if (
    code === undefined ||
    body === undefined ||
    info?.domain !== "platform.v1" ||
    (info.reason === "VERSION_CONFLICT" && conflict === undefined)
  ) {
    return localError(told.code === "deadline_exceeded" ? "DEADLINE_EXCEEDED" : "MALFORMED_RESPONSE", call, told);
  }
  const reason = isContractErrorReason(info.reason) ? info.reason : "UNKNOWN";
  return platformError({ ...told, reason, message: body.message }, call, withhold(info.reason, call.secrets));
}
