import { attempt } from "../wire/read-json.js";

/** What is shown in place of a secret. */
export const redacted = "[redacted]";

/** Shorter texts are not secrets, and often part of other words. */
const minSecretLength = 16;

/** Control characters, line separators and bidirectional overrides, which can forge lines in a log or a terminal. */
const deceptive = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Printable ASCII without escapes: JSON of this form contains no deceptive characters. */
const harmless = /^[ -[\]-~]*$/;

/** Cleans a text that a server or proxy sent. */
export type Redact = (text: string) => string;

/** Removes control characters from a text, and replaces the whole text when it contains a secret. */
export function createRedactor(secrets: readonly string[]): Redact {
  return (text) => {
    const clean = text.replace(deceptive, "");
    return secrets.some((secret) => secret.length >= minSecretLength && clean.includes(secret)) ? redacted : clean;
  };
}

/** Parses JSON and cleans every text in it; undefined when it is not JSON. Names of members stay: readers drop them. */
export function parseJson(text: string, redact: Redact): unknown {
  return attempt(() => JSON.parse(text, (_, value) => (typeof value === "string" ? redact(value) : value)));
}

/** Parses the JSON of a result. Removes control characters only: a result may contain tokens, which the caller needs. */
export function parseResult(text: string): unknown {
  return harmless.test(text) ? attempt(() => JSON.parse(text)) : parseJson(text, createRedactor([]));
}
