import { create, toJson } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import type { Call } from "../caller.js";
import { readErrorBody } from "../error-body.js";
import { errorCodes } from "../error-code.js";
import { causeOf, failure } from "../failure.js";
import { isPlatformError, type PlatformError } from "../platform-error.js";
import { withholding } from "../secrets.js";
import { InterceptorFault } from "./interceptor-fault.js";

/** Says that no answer arrived, whatever the network layer threw. */
export class NetworkLoss extends Error {
  override readonly name = "NetworkLoss";
}

/** What a transport of Connect threw, in the words of the platform. */
export function connectError(thrown: unknown, call: Call, secrets: readonly string[]): PlatformError {
  const cause = thrown instanceof ConnectError ? thrown.cause : thrown;
  if (isPlatformError(cause)) return cause;
  if (cause instanceof InterceptorFault) return failure(call, "INTERCEPTOR_FAILED", "unknown", causeOf(cause.cause));
  if (cause instanceof NetworkLoss) return failure(call, "NETWORK_ERROR", "unavailable", causeOf(cause.cause));
  if (thrown instanceof ConnectError && (thrown.details.length > 0 || !isOfNetwork(cause))) {
    const code = errorCodes[thrown.code - 1] ?? "unknown";
    // The contract has the JSON of each detail in `debug`. Errors that did not come over the wire hold the messages.
    const details = thrown.details.map((detail) =>
      "desc" in detail ? { debug: toJson(detail.desc, create(detail.desc, detail.value)) } : { debug: detail.debug },
    );
    const body = JSON.stringify({ code, message: thrown.rawMessage, details });
    return readErrorBody(JSON.parse(body, withholding(secrets)), code, thrown.metadata, call);
  }
  return isOfNetwork(cause)
    ? failure(call, "NETWORK_ERROR", "unavailable", causeOf(cause))
    : failure(call, "MALFORMED_RESPONSE", "unknown", causeOf(cause));
}

/**
 * Whether it looks as a network layer throws it: a `TypeError` as by `fetch`, an error with a code as by Node, or that of
 * `AbortSignal.timeout`.
 */
function isOfNetwork(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return thrown instanceof TypeError || thrown.name === "TimeoutError" || "code" in thrown;
}
