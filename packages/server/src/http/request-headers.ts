/** The request headers that a listener reads. The values of a repeated header are joined (RFC 9110 section 5.3). */
export interface RequestHeaders {
  authorization: string | undefined;
  connectProtocolVersion: string | undefined;
  connectTimeoutMs: string | undefined;
  contentEncoding: string | undefined;
  contentLength: string | undefined;
  contentType: string | undefined;
  expect: string | undefined;
  host: string | undefined;
  origin: string | undefined;
  requestId: string | undefined;
  traceparent: string | undefined;
  tracestate: string | undefined;
  transferEncoding: string | undefined;
}

const names: ReadonlyMap<string, keyof RequestHeaders> = new Map([
  ["authorization", "authorization"],
  ["connect-protocol-version", "connectProtocolVersion"],
  ["connect-timeout-ms", "connectTimeoutMs"],
  ["content-encoding", "contentEncoding"],
  ["content-length", "contentLength"],
  ["content-type", "contentType"],
  ["expect", "expect"],
  ["host", "host"],
  ["origin", "origin"],
  ["x-request-id", "requestId"],
  ["traceparent", "traceparent"],
  ["tracestate", "tracestate"],
  ["transfer-encoding", "transferEncoding"],
]);

/**
 * Reads these headers in one pass over the raw list. `request.headers` would build all headers, and would silently drop a
 * second Authorization or Host.
 */
export function readRequestHeaders(raw: readonly string[]): RequestHeaders {
  const headers: RequestHeaders = {
    authorization: undefined,
    connectProtocolVersion: undefined,
    connectTimeoutMs: undefined,
    contentEncoding: undefined,
    contentLength: undefined,
    contentType: undefined,
    expect: undefined,
    host: undefined,
    origin: undefined,
    requestId: undefined,
    traceparent: undefined,
    tracestate: undefined,
    transferEncoding: undefined,
  };
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = names.get(raw[index]?.toLowerCase() ?? "");
    if (name === undefined) continue;
    const earlier = headers[name];
    const value = raw[index + 1];
    headers[name] = earlier === undefined ? value : `${earlier}, ${value}`;
  }
  return headers;
}

/** Returns true if the headers announce a body (RFC 9112 section 6.3). */
export function announcesBody({ contentLength, transferEncoding }: RequestHeaders): boolean {
  return transferEncoding !== undefined || (contentLength !== undefined && contentLength !== "0");
}
