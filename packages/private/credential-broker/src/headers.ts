import type { IncomingHttpHeaders } from "node:http";

/** The values of headers by their names in lower case. */
export type Headers = Readonly<Record<string, readonly string[]>>;

/** Headers as node:http has them. */
type Received = NodeJS.Dict<string[]>;

/** How large all headers of a request or a response can be, in bytes. */
export const headerBytes = 64 * 1024;

/** RFC 9110 section 7.6.1, and what its receiver may take for these. */
const hopByHop =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings|content-length)$/;

/**
 * What of an agent never arrives at an upstream: its credentials, what the broker itself writes, what is for the broker, and what asks for a
 * part of an answer: a part of a secret is not masked.
 */
const ofAgent =
  /^(?:host|expect|cookie|authorization|dpop|accept-encoding|range|if-range|request-range|x-ms-range|platform-.*)$/;

/** What of an upstream never arrives at an agent. A cookie is a credential, as which the agent could use it without the broker. */
const ofUpstream = /^(?:set-cookie2?|content-encoding|alt-svc|platform-.*)$/;

/** Returns the headers of an agent that are sent on. */
export function requestHeaders(headers: Received): Headers {
  return kept(headers, ofAgent);
}

/** Returns the headers of an upstream that are given back. */
export function responseHeaders(headers: Received): Headers {
  return kept(headers, ofUpstream);
}

function kept(headers: Received, left: RegExp): Headers {
  const { connection = [] } = headers;
  const named = connection.flatMap((value) => value.toLowerCase().split(/[\s,]+/));
  const isKept = (name: string) => !hopByHop.test(name) && !left.test(name) && !named.includes(name);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, values = []]) => (isKept(name) ? [[name, values]] : [])),
  );
}

/** Returns a header that must not be repeated. node:http reads its bytes as latin1. */
export function single(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
