import { randomUUID } from "node:crypto";
import type { RejectedPath } from "@platform-rpc/front";
import { type Logger, rpcError } from "@platform-rpc/server";
import { errorBody } from "@platform-rpc/server/host";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { isOAuthEndpoint } from "./oauth-error.js";

/** The start of the paths of the operations of members. */
export const memberPaths = `/${MemberVaultService.typeName.replace(/[^.]+$/, "")}`;

/**
 * Returns the body of the response to a request that the listener itself rejects, such as one whose body does not arrive in time, in the
 * form that callers of its path expect. Undefined: plain text.
 */
export function jsonForRejected({
  url,
  status,
  reason,
  message,
  requestId,
  retryAfterMs,
}: RejectedPath): object | undefined {
  if (url.startsWith(memberPaths))
    return JSON.parse(errorBody(rpcError(reason, retryAfterMs === undefined ? {} : { retryAfterMs }), requestId));
  if (/^\/account\/api(?:[/?]|$)/.test(url)) return { reason, message };
  if (!isOAuthEndpoint(url.replace(/\?.*$/s, ""))) return undefined;
  return { error: status < 500 ? "invalid_request" : "temporarily_unavailable", error_description: message };
}

/** Returns how requests of a listener reach its app, which handles its errors itself. */
export function requestListenerOptions(logger: Logger, listener = "accounts") {
  return {
    overrideGlobalObjects: false,
    // The listener itself reads the rest of a rejected body.
    autoCleanupIncoming: false,
    // For requests without Host, such as health checks in HTTP/1.0: the name of no server (RFC 2606).
    hostname: "no-host.invalid",
    errorHandler: createUrlRejection(logger, listener),
  };
}

/** Creates the response to requests whose target and Host header are not a URL, which have no path that would say more. */
function createUrlRejection(logger: Logger, listener: string): () => Response {
  return () => {
    const [requestId, status] = [randomUUID(), 400];
    logger.info({ requestId, status, reason: "MALFORMED_HTTP", listener }, "request");
    const headers = {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": requestId,
    };
    return new Response("The path and the Host header are not a valid URL.\n", { status, headers });
  };
}
