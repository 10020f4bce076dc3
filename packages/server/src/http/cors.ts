import type { Operation } from "../contract/operation.js";
import type { RequestHead } from "./gate.js";
import type { RequestHeaders } from "./request-head.js";
import type { Answer } from "./response-headers.js";

/** The request headers that a call may have. The last two are for tracing (W3C Trace Context). */
const allowedHeaders = [
  "Authorization",
  "Content-Type",
  "Connect-Protocol-Version",
  "Connect-Timeout-Ms",
  "Idempotency-Key",
  "X-Request-Id",
  "X-Platform-Client",
  "Traceparent",
  "Tracestate",
].join(", ");

/** The CORS headers of a document that pages of any origin may read. */
export const anyOriginHeaders = ["Access-Control-Allow-Origin", "*", "Access-Control-Expose-Headers", "X-Request-Id"];

/**
 * Implements CORS (Fetch Standard, "CORS protocol") for a list of origins. There is no wildcard, and credentials are not
 * allowed, because callers send their token in a header.
 */
export function createCors(origins: readonly string[]) {
  const allowed = new Set(origins);
  const isAllowed = (origin: string | undefined): origin is string => origin !== undefined && allowed.has(origin);

  /** Returns the CORS headers of a response, as a flat list. */
  const headers = ({ origin }: RequestHeaders): string[] => {
    if (allowed.size === 0) return [];
    if (!isAllowed(origin)) return ["Vary", "Origin"];
    return [
      "Vary",
      "Origin",
      "Access-Control-Allow-Origin",
      origin,
      "Access-Control-Expose-Headers",
      "X-Request-Id, Retry-After, WWW-Authenticate, Deprecation, Sunset, Link",
    ];
  };

  /** Returns the response to a preflight request; undefined for any other request, and for an origin that is not allowed. */
  const preflight = (
    { verb, headers: { origin } }: RequestHead,
    operation: Operation | undefined,
  ): Answer | undefined => {
    if (verb !== "OPTIONS" || operation === undefined || !isAllowed(origin)) return undefined;
    return {
      status: 204,
      headers: [
        "Access-Control-Allow-Methods",
        "POST",
        "Access-Control-Max-Age",
        "7200",
        "Access-Control-Allow-Headers",
        allowedHeaders,
      ],
      body: "",
    };
  };
  return { headers, preflight };
}

export type Cors = ReturnType<typeof createCors>;

/** Returns whether a text is an origin as browsers send it. */
export function isOrigin(origin: unknown): boolean {
  if (typeof origin !== "string") return false;
  // `URL` gives no origin for the schemes of browser extensions and of apps in a web view.
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[\w.-]+$/.test(origin)) return true;
  return URL.canParse(origin) && new URL(origin).origin === origin;
}
