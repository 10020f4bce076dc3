import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isId } from "../contract/id.js";

export interface Target {
  readonly path: string;
  /** Without the question mark; empty if the target has no query. */
  readonly query: string;
  /** The host and port of a target in absolute form; undefined in origin form, where the Host header contains them. */
  readonly authority: string | undefined;
}

/** Splits a request target in origin or absolute form (RFC 9112 section 3.2). The path is not normalized. */
export function parseTarget(target: string): Target {
  const authority = target.startsWith("/") ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
  const origin = authority === undefined ? target : target.slice(target.indexOf("//") + 2 + authority.length);
  const mark = origin.indexOf("?");
  return mark === -1
    ? { path: origin, query: "", authority }
    : { path: origin.slice(0, mark), query: origin.slice(mark + 1), authority };
}

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

// `code` is not among them: it is a name of many things, and codes are recognised by their values.
const secretNames = new Set(
  "access_token token id_token refresh_token authorization device_code code_verifier request_uri".split(" "),
);

/** How the secrets are recognised that this platform and its clients create: each has a prefix that ordinary ids do not have. */
const issuedSecrets: readonly RegExp[] = [
  // A device code.
  /pdc_/,
  // A refresh token: its family, generation and MAC. See tokens/secrets.ts.
  /prt_[A-Za-z0-9-]{1,128}\.[0-9]{1,9}\.[\w-]{43}/,
  // An authorization code: its grant, and 32 random bytes.
  /pac_[A-Za-z0-9-]{1,128}\.[\w-]{43}/,
  // The `request_uri` of a pushed request (RFC 9126 section 2.2).
  /urn:ietf:params:oauth:request_uri:/i,
  // A PKCE verifier of `@platform-rpc/client`. Those of other clients look like any id, and are found by the name of their parameter.
  /pcv_[\w-]{43}/,
];

// The start of a JWT or JWE header: base64url of a JSON object that starts with `{"`, or with `{` and white space. The
// latter is matched only at the start of a word, because elsewhere ordinary words match too.
const headerPattern = /(?:eyJ|^eyA|^ew[ok0])[\w-]{7}/;

/**
 * Returns true if a string contains something that looks like a token, a code, a `request_uri` or a PKCE verifier. Such a string must
 * not be stored, logged or sent back. Runs in linear time.
 */
function looksLikeSecret(text: string): boolean {
  if (issuedSecrets.some((pattern) => pattern.test(text))) return true;
  // An access token consists of base64url parts, separated by at least two dots.
  return text.includes(".") && /ey[AJ]|ew[ok0]/.test(text) && text.split(/[^\w.-]+/).some(containsToken);
}

/** Replaces each value of a JSON line that contains a secret. */
export function redactLine(line: string): string {
  if (!looksLikeSecret(line)) return line;
  const redact = (_: string, value: unknown) =>
    typeof value === "string" && looksLikeSecret(value) ? "[redacted]" : value;
  return `${JSON.stringify(JSON.parse(line, redact))}\n`;
}

/** Returns true if one of the parts between dots looks like a token header and at least two parts follow it. */
function containsToken(word: string): boolean {
  return word
    .split(".")
    .slice(0, -2)
    .some((part) => headerPattern.test(part));
}

/** Returns true if a query has a parameter with the name of a secret, or a name or value that looks like one. */
export function queryContainsSecret(query: string): boolean {
  for (const [name, value] of new URLSearchParams(query)) {
    if (secretNames.has(name.trim().toLowerCase()) || looksLikeSecret(value) || looksLikeSecret(name)) return true;
  }
  return false;
}
