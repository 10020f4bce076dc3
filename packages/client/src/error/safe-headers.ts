import type { Redact } from "./redactor.js";

/** Headers of a response that hold no secret, by lower-case name. */
export type SafeHeaders = Readonly<Record<string, string>>;

const safe = ["content-type", "deprecation", "retry-after", "sunset", "www-authenticate", "x-request-id"];

/** The headers of a response that may be logged. */
export function safeHeaders(headers: Headers, redact: Redact): SafeHeaders {
  return Object.fromEntries(
    [...headers].filter(([name]) => safe.includes(name)).map(([name, value]) => [name, redact(value)]),
  );
}
