import { faultOf } from "@platform-rpc/front/portable";
import type { Route } from "../services/routes.js";
import { rpcError } from "../services/rpc-error.js";
import { unavailable } from "../services/to-rpc-error.js";
import type { Limits } from "./limits.js";
import { announcesBody, queryContainsSecret, type RequestHeaders, type Target } from "./request-head.js";

/** The part of a request that the gate checks before the body is read. */
export interface RequestHead {
  readonly httpVersion: string;
  readonly verb: string;
  readonly target: Target;
  readonly headers: RequestHeaders;
}

// Each run of white space can match in only one place. With two, a hostile value would take exponential time.
const jsonPattern = /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-8|"utf-8")[ \t]*)?)*$/i;

/**
 * Rejects malformed HTTP that Node's parser accepts, and transfer codings other than chunked.
 *
 * @see RFC 9112 sections 3.2 (Host) and 6.1 (Transfer-Encoding)
 */
export function requireWellFormed({ httpVersion, headers: { host, transferEncoding } }: RequestHead): void {
  const fault = faultOf({ httpVersion, host, transferEncoding });
  if (fault !== undefined) throw rpcError(fault);
}

/** Returns whether a request says which host it is for. Those of browsers always do; health checks in HTTP/1.0 often do not. */
export function namesHost({ target, headers }: RequestHead): boolean {
  return target.authority !== undefined || headers.host !== undefined;
}

/**
 * Rejects a request whose host is not in the list, with the same reason as an unknown operation. The list prevents DNS
 * rebinding, where a browser sends the host name of the attacking page. `undefined` accepts every host.
 */
export function requireKnownHost({ target, headers }: RequestHead, hosts: ReadonlySet<string> | undefined): void {
  if (hosts === undefined) return;
  // RFC 9112 section 3.2.2: a target in absolute form overrides the Host header.
  const name = (target.authority ?? headers.host ?? "").replace(/:[0-9]*$/, "").toLowerCase();
  if (hosts.has(name)) return;
  const [known] = hosts;
  const message = `The server has no operations for this Host. Check the host name in the URL; in a proxy, set Host to ${known}.`;
  throw rpcError("OPERATION_UNKNOWN", { message });
}

/**
 * The first part of the gate, in the order of the contract: draining → route → verb → token in the query → media type →
 * content encoding → protocol version → timeout. The next part authenticates the caller.
 */
export function checkRequest(
  { verb, target, headers }: RequestHead,
  route: Route | undefined,
  draining: boolean,
  limits: Limits,
): { readonly route: Route; readonly timeoutMs: number } {
  if (draining) throw unavailable();
  if (route === undefined) throw rpcError("OPERATION_UNKNOWN");
  if (verb !== "POST") throw rpcError("METHOD_NOT_ALLOWED", { headers: { Allow: "POST" } });
  if (target.query !== "" && queryContainsSecret(target.query)) throw rpcError("TOKEN_IN_QUERY");
  const { contentType, contentEncoding, connectProtocolVersion, connectTimeoutMs } = headers;
  if (contentType !== "application/json" && (contentType === undefined || !jsonPattern.test(contentType))) {
    throw rpcError("MEDIA_TYPE_UNSUPPORTED", { headers: { "Accept-Post": "application/json" } });
  }
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== "identity") {
    throw rpcError("ENCODING_UNSUPPORTED");
  }
  if (connectProtocolVersion !== "1") throw rpcError("PROTOCOL_VERSION_REQUIRED");
  return { route, timeoutMs: timeoutFrom(connectTimeoutMs, limits) };
}

function timeoutFrom(value: string | undefined, { defaultTimeoutMs, longestTimeoutMs }: Limits): number {
  if (value === undefined) return defaultTimeoutMs;
  const timeoutMs = /^[0-9]{1,10}$/.test(value) ? Number(value) : 0;
  if (timeoutMs === 0) throw rpcError("INVALID_TIMEOUT");
  return Math.min(timeoutMs, longestTimeoutMs);
}

/** The last part of the gate, after admission: rejects a Content-Length over the limit of the operation, and an unknown Expect. */
export function checkAnnouncedBody(headers: RequestHeaders, bodyBytes: number): void {
  if (announcesBody(headers) && Number(headers.contentLength) > bodyBytes) throw rpcError("REQUEST_TOO_LARGE");
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
    throw rpcError("EXPECTATION_FAILED");
  }
}
