import type { Call } from "../call/call.js";
import { createError } from "./create-error.js";
import { causeOf, describe } from "./error-cause.js";
import type { PlatformError } from "./platform-error.js";

/** Codes of failures that a retry cannot fix: invalid URLs, certificates, protocols. */
const permanent = /CERT|^(BAD_PORT|ERR_(INVALID|SSL|TLS)|HPE_|EPROTO|UNABLE_TO)/;

/** Creates the error of a call that got no response, or only a part of one. */
export function networkError(call: Call, thrown: unknown): PlatformError {
  const what = describe(thrown);
  return createError(
    call,
    "NETWORK_ERROR",
    permanent.test(what) ? "unknown" : "unavailable",
    `No response from ${call.host} (${what}). Check baseUrl, the server, its certificate and CORS.`,
    { cause: causeOf(thrown) },
  );
}
