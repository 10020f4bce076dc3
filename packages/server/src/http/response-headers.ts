/** A response. Its headers are a flat list of names and values, the form that node:http writes fastest. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
  /** Whether pages of any origin may read it. Default: false, those of `corsOrigins`. */
  readonly anyOrigin?: boolean;
  /** Whether other responses share the bytes of the body. Default: false. */
  readonly shared?: boolean;
}

/** Headers that only the listener sets: those of the connection, of the body's framing and type, and the request id. */
const ownHeaders = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "keep-alive",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-request-id",
]);

/**
 * Returns the headers that a handler may set, as a flat list of names and values.
 *
 * @throws TypeError when one cannot be sent.
 */
export function handlerHeaders(headers: Headers): string[] {
  return sendable([...headers].filter(([name]) => !ownHeaders.has(name)).flat());
}

/**
 * Returns the headers unchanged if HTTP allows their values. `Headers` also accepts control characters.
 *
 * @throws TypeError
 * @see RFC 9110 section 5.5
 */
export function sendable(headers: string[]): string[] {
  for (let index = 1; index < headers.length; index += 2) {
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(headers[index] ?? ""))
      throw new TypeError("a response header contains a character that HTTP does not allow");
  }
  return headers;
}

/**
 * Returns the headers of an error as a flat list. A challenge also gets the URL of the protected resource metadata, so that a client
 * finds the authorization server (RFC 9728 section 5.1).
 */
export function errorHeaders(metadata: Headers, resourceMetadataUrl: string | undefined): string[] {
  const url = metadata.has("WWW-Authenticate") ? resourceMetadataUrl : undefined;
  if (url === undefined) return [...metadata].flat();
  return [...metadata].flatMap(([name, value]) => [name, name === "www-authenticate" ? withUrl(value, url) : value]);
}

function withUrl(challenge: string, url: string): string {
  return `${challenge}${challenge.includes("=") ? ", " : " "}resource_metadata="${url}"`;
}
