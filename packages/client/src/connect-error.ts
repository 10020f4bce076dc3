import { ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema, VersionConflictSchema } from "@platform/types";
import { answeredError } from "./answered-error.js";
import type { Call } from "./call.js";
import { callError, localError } from "./call-error.js";
import { errorCodes } from "./error-code.js";
import { InterceptorFault } from "./interceptor-fault.js";
import type { PlatformError } from "./platform-error.js";
import { requestIdHeader } from "./request-id.js";
import { readRetryAfter } from "./retry-after.js";

/** What a transport of Connect threw, in the words of the platform. */
export function connectError(thrown: unknown, call: Call): PlatformError {
  if (!(thrown instanceof ConnectError)) return callError(thrown, call);
  const info = thrown.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "platform.v1");
  const code = errorCodes[thrown.code - 1] ?? "unknown";
  const answeredId = thrown.metadata.get(requestIdHeader);
  const retryAfterMs = retryDelay(thrown) ?? readRetryAfter(thrown.metadata);
  if (info !== undefined) {
    const { requestId } = info.metadata;
    const [conflict] = thrown.findDetails(VersionConflictSchema);
    return answeredError(
      {
        code,
        retryAfterMs,
        message: thrown.rawMessage,
        reason: info.reason,
        requestIds: [requestId, answeredId],
        violations: thrown.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations),
        conflict: conflict?.cursor && { ...conflict, cursor: conflict.cursor },
      },
      call,
    );
  }
  const over = call.deadline.over() ?? (code === "deadline_exceeded" ? "DEADLINE_EXCEEDED" : undefined);
  if (over !== undefined) return localError(over, call);
  const { cause } = thrown;
  if (cause instanceof InterceptorFault) return localError("INTERCEPTOR_FAILED", call, { cause: cause.cause });
  const meant = callError(cause ?? thrown, call);
  return meant.reason === "MALFORMED_RESPONSE"
    ? localError("MALFORMED_RESPONSE", call, { cause, code, answeredId, retryAfterMs })
    : meant;
}

function retryDelay(error: ConnectError): number | undefined {
  const [info] = error.findDetails(RetryInfoSchema);
  if (info?.retryDelay === undefined) return undefined;
  const { seconds, nanos } = info.retryDelay;
  return Math.max(0, Number(seconds) * 1000 + Math.ceil(nanos / 1_000_000));
}
