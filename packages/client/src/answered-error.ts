import type { ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  type ErrorInfo,
  type RetryInfo,
  RetryInfoSchema,
  VersionConflictSchema,
} from "@platform/types";
import type { Call } from "./call.js";
import { errorCodeName, type PlatformErrorCode } from "./error-code.js";
import { isContractErrorReason, type PlatformErrorReason } from "./error-reason.js";
import { PlatformError, type PlatformErrorDetails } from "./platform-error.js";
import { firstRequestId, requestIdHeader } from "./request-id.js";
import { repeatable } from "./retry-safety.js";

/** The error that an error body of the platform tells of. */
export function answeredError(error: ConnectError, info: ErrorInfo, call: Call): PlatformError {
  const { secrets } = call;
  const { requestId: answeredId } = info.metadata;
  const reason = isContractErrorReason(info.reason) ? info.reason : "UNKNOWN";
  const code = errorCodeName(error.code);
  const [retryInfo] = error.findDetails(RetryInfoSchema);
  const requestId = firstRequestId(
    call.requestId,
    secrets.passing(answeredId),
    secrets.passing(error.metadata.get(requestIdHeader)),
  );
  const told = {
    code,
    requestId,
    message: `${secrets.withhold(error.rawMessage)} (${secrets.withhold(info.reason)}, request ${requestId})`,
    retryable: retryable(reason, code, retryInfo, call),
    retryAfterMs: retryAfterMs(retryInfo),
    violations: error
      .findDetails(BadRequestSchema)
      .flatMap(({ fieldViolations }) => fieldViolations)
      .map(({ field, description }) => ({
        field: secrets.withhold(field),
        description: secrets.withhold(description),
      })),
  };
  if (reason !== "VERSION_CONFLICT") return new PlatformError({ ...told, reason, detail: undefined });
  const detail = versionConflict(error, call);
  return detail === undefined
    ? new PlatformError({ ...told, reason: "MALFORMED_RESPONSE", detail })
    : new PlatformError({ ...told, reason, detail });
}

function versionConflict(error: ConnectError, { secrets }: Call): PlatformErrorDetails["VERSION_CONFLICT"] | undefined {
  const [conflict] = error.findDetails(VersionConflictSchema);
  if (conflict?.cursor === undefined) return undefined;
  const texts = [conflict.itemId, conflict.cursor.vaultId];
  return texts.every((text) => secrets.passing(text) !== undefined)
    ? { ...conflict, cursor: conflict.cursor }
    : undefined;
}

function retryable(
  reason: PlatformErrorReason,
  code: PlatformErrorCode,
  retryInfo: RetryInfo | undefined,
  { method, callerHasKey }: Call,
): boolean {
  // Refused before anything was done.
  if (reason === "RATE_LIMITED" || reason === "REQUEST_TIMEOUT") return true;
  const transient = code === "unavailable" || code === "deadline_exceeded" || retryInfo !== undefined;
  return transient && repeatable(method, callerHasKey);
}

function retryAfterMs(retryInfo: RetryInfo | undefined): number | undefined {
  if (retryInfo?.retryDelay === undefined) return undefined;
  const { seconds, nanos } = retryInfo.retryDelay;
  return Math.max(0, Number(seconds) * 1000 + Math.ceil(nanos / 1_000_000));
}
