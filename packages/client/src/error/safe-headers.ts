import type { ResponseHeaders } from "../wire/fetch.js";
import type { Redact } from "./redactor.js";

/** The parts of a response that errors and hooks contain. */
export interface ResponseSummary {
  /** Undefined for a transport without HTTP. */
  readonly status: number | undefined;
  /** Headers that contain no secret, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

const safe = ["content-type", "deprecation", "retry-after", "sunset", "www-authenticate", "x-request-id"];

/** Returns the headers of a response that may be logged. */
export function safeHeaders(headers: ResponseHeaders, redact: Redact): ResponseSummary["headers"] {
  const found: Record<string, string> = {};
  for (const name of safe) {
    const value = headers.get(name);
    if (value !== null) found[name] = redact(value);
  }
  return found;
}
