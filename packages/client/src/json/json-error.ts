import { answeredError } from "../answered-error.js";
import type { Call } from "../call.js";
import { localError } from "../call-error.js";
import { errorCodes, type PlatformErrorCode } from "../error-code.js";
import type { PlatformError } from "../platform-error.js";
import { requestIdHeader } from "../request-id.js";
import { readRetryAfter } from "../retry-after.js";
import { fillIn } from "./fill-in.js";
import { emptyVersionConflict } from "./messages.js";

/** The code of an answer without an error body, by the Connect protocol ("Error codes"). */
const codeOfStatus: Readonly<Record<number, PlatformErrorCode>> = {
  400: "internal",
  401: "unauthenticated",
  403: "permission_denied",
  404: "unimplemented",
  429: "unavailable",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

const emptyErrorInfo = { reason: "", domain: "", metadata: { requestId: "" } };

/** What an answer that is no success means. Reads the details in their `debug` form, which is their JSON. */
export function jsonError(status: number, headers: Headers, given: unknown, call: Call): PlatformError {
  const body = fillIn({ code: "", message: "", details: [{ type: "" }] }, given) ? given : undefined;
  const known = errorCodes.find((code) => code === body?.code);
  const code = known ?? codeOfStatus[status] ?? "unknown";
  const detail = <T>(type: string, empty: T): T | undefined => {
    const found = body?.details.find((one) => one.type === type);
    return found !== undefined && "debug" in found && fillIn(empty, found.debug) ? found.debug : undefined;
  };
  const info = detail("google.rpc.ErrorInfo", emptyErrorInfo);
  const answeredId = headers.get(requestIdHeader);
  const delay = detail("google.rpc.RetryInfo", { retryDelay: "" })?.retryDelay;
  const retryAfterMs = readDuration(delay) ?? readRetryAfter(headers);
  if (body === undefined || known === undefined || info?.domain !== "platform.v1") {
    return code === "deadline_exceeded"
      ? localError("DEADLINE_EXCEEDED", call, { answeredId })
      : localError("MALFORMED_RESPONSE", call, { code, answeredId, retryAfterMs });
  }
  const { reason, metadata } = info;
  const badRequest = detail("google.rpc.BadRequest", { fieldViolations: [{ field: "", description: "" }] });
  return answeredError(
    {
      code,
      message: body.message,
      reason,
      requestIds: [metadata.requestId, answeredId],
      retryAfterMs,
      violations: badRequest?.fieldViolations ?? [],
      conflict: detail("platform.v1.VersionConflict", emptyVersionConflict),
    },
    call,
  );
}

/** Milliseconds of a google.protobuf.Duration in JSON, as "1.5s". */
function readDuration(text = ""): number | undefined {
  const seconds = Number.parseFloat(text);
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds * 1000));
}
