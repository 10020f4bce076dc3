import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isId } from "../domain/model/id.js";
import { looksLikeSecret } from "./target.js";

/** The request headers that a listener reads. The values of a repeated header are joined (RFC 9110 section 5.3). */
export interface RequestHeaders {
  readonly authorization: string | undefined;
  readonly connectProtocolVersion: string | undefined;
  readonly connectTimeoutMs: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly contentLength: string | undefined;
  readonly contentType: string | undefined;
  readonly expect: string | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly transferEncoding: string | undefined;
}

/** Selects these headers from all headers of a request, by their names in lower case. */
export function readRequestHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  const { traceparent, tracestate } = headers;
  return {
    authorization: headers.authorization,
    connectProtocolVersion: text(headers["connect-protocol-version"]),
    connectTimeoutMs: text(headers["connect-timeout-ms"]),
    contentEncoding: headers["content-encoding"],
    contentLength: headers["content-length"],
    contentType: headers["content-type"],
    expect: headers.expect,
    host: headers.host,
    origin: headers.origin,
    requestId: text(headers["x-request-id"]),
    traceparent: text(traceparent),
    tracestate: text(tracestate),
    transferEncoding: headers["transfer-encoding"],
  };
}

/** Only Set-Cookie is a list, and requests do not have it. */
function text(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns all headers of a raw list. The `headers` of a request lack a second Authorization or Host, unless its server has
 * `joinDuplicateHeaders`.
 */
export function joinHeaders(raw: readonly string[]): IncomingHttpHeaders {
  const joined = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? "").toLowerCase();
    const earlier = joined.get(name);
    const value = raw[index + 1] ?? "";
    joined.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return Object.fromEntries(joined);
}

/** Returns true if the headers announce a body (RFC 9112 section 6.3). */
export function announcesBody({ contentLength, transferEncoding }: RequestHeaders): boolean {
  return transferEncoding !== undefined || (contentLength !== undefined && contentLength !== "0");
}

/** Returns the caller's request id if it is valid, otherwise a new one. It is logged, so it must not look like a secret. */
export function requestIdFrom(incoming: string | undefined): string {
  return isId(incoming) && !looksLikeSecret(incoming) ? incoming : randomUUID();
}
