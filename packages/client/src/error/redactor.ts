import { attempt, printable } from "../wire/read-json.js";

/** What is shown in place of a secret. */
export const redacted = "[redacted]";

/** Shorter texts are not secrets, and often part of other words. */
const minSecretLength = 16;

/** Cleans a text that a server or proxy sent. */
export type Redact = (text: string) => string;

/** Removes control characters from a text, and replaces the whole text when it contains a secret. */
export function createRedactor(secrets: readonly string[]): Redact {
  return (text) => {
    const clean = printable(text);
    return secrets.some((secret) => secret.length >= minSecretLength && clean.includes(secret)) ? redacted : clean;
  };
}

/** Parses JSON and cleans every text in it; undefined when it is not JSON. Names of members stay: readers drop them. */
export function parseJson(text: string, redact: Redact): unknown {
  return attempt(() => JSON.parse(text, (_, value) => (typeof value === "string" ? redact(value) : value)));
}
