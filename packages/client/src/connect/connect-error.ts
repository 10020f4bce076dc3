import { create, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { Call } from "../call.js";
import { callError, isOfNetwork, localError } from "../call-error.js";
import { readErrorBody } from "../error-body.js";
import { errorCodes } from "../error-code.js";
import { NetworkFailure } from "../network-failure.js";
import type { PlatformError } from "../platform-error.js";
import { InterceptorFault } from "./interceptor-fault.js";

/** What a transport of Connect threw, in the words of the platform. */
export function connectError(thrown: unknown, call: Call): PlatformError {
  if (!(thrown instanceof ConnectError)) return callError(networkFailure(thrown), call);
  const { cause, rawMessage: message, metadata } = thrown;
  const code = errorCodes[thrown.code - 1] ?? "unknown";
  // The contract has the JSON of each detail in `debug`. Errors that did not come over the wire hold the messages.
  const details = thrown.details.map((detail) =>
    "desc" in detail
      ? { type: detail.desc.typeName, debug: toJson(detail.desc, create(detail.desc, detail.value)) }
      : { type: detail.type, debug: detail.debug },
  );
  if (details.length === 0) {
    if (cause instanceof InterceptorFault) return localError("INTERCEPTOR_FAILED", call, { cause: cause.cause });
    const meant = callError(networkFailure(cause ?? thrown), call);
    if (meant.reason !== "MALFORMED_RESPONSE") return meant;
  }
  return readErrorBody({ code, message, details }, code, metadata, call, cause);
}

/** Other transports pass on what their network layer threw. */
function networkFailure(cause: unknown): unknown {
  return isOfNetwork(cause) && !(cause instanceof NetworkFailure)
    ? new NetworkFailure("no answer arrived", { cause })
    : cause;
}
