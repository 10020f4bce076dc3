import type { Redact } from "./redactor.js";

/** What errors and hooks show of a response. */
export interface ResponseSummary {
  /** Undefined for a transport without HTTP. */
  readonly status: number | undefined;
  /** Headers that contain no secret, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

const safe = ["content-type", "deprecation", "retry-after", "sunset", "www-authenticate", "x-request-id"];

/** The headers of a response that may be logged. */
export function safeHeaders(headers: Headers, redact: Redact): ResponseSummary["headers"] {
  return Object.fromEntries(
    [...headers].filter(([name]) => safe.includes(name)).map(([name, value]) => [name, redact(value)]),
  );
}
