import type { ResponseHeaders } from "../wire/http.js";
import { attempt, deceptive, printable } from "../wire/read-json.js";

export const redacted = "[redacted]";

/** Shorter texts are not secrets, and often part of other words. */
const minSecretLength = 16;

/** Cleans a text that a server or proxy sent. */
export type Redact = (text: string) => string;

/** Escapes control characters in a text, and replaces the whole text when it contains a secret, also with such characters inside. */
export function createRedactor(secrets: readonly string[]): Redact {
  return (text) => {
    const repeats = (secret: string) =>
      secret.length >= minSecretLength && text.replace(deceptive, "").includes(secret);
    return secrets.some(repeats) ? redacted : printable(text);
  };
}

/** Parses JSON and cleans every text in it; undefined when it is not JSON. Names of members stay: readers drop them. */
export function parseJson(text: string, redact: Redact): unknown {
  return attempt(() => JSON.parse(text, (_, value) => (typeof value === "string" ? redact(value) : value)));
}

/** The parts of a response that errors and hooks contain. */
export interface ResponseSummary {
  /** Undefined for a transport without HTTP. */
  readonly status: number | undefined;
  /** Headers that contain no secret, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers that may be logged. */
const safe =
  "accept-post content-type date deprecation location retry-after sunset www-authenticate x-request-id".split(" ");

/** Returns the headers of a response that may be logged; of a redirect from a URL, the target without what may be secret. */
export function safeHeaders(headers: ResponseHeaders, redact: Redact, from: string): ResponseSummary["headers"] {
  const found: Record<string, string> = {};
  for (const name of safe) {
    const value = headers.get(name);
    const shown = name === "location" ? targetOf(value, from) : value;
    if (typeof shown === "string") found[name] = redact(shown);
  }
  return found;
}

/** Returns the target of a redirect, without credentials, query and fragment. */
export function targetOf(location: string | null, from: string): string | undefined {
  const url = location === null ? undefined : attempt(() => new URL(location, from));
  return url && /^https?:$/.test(url.protocol) ? (url.origin + url.pathname).slice(0, 200) : undefined;
}
