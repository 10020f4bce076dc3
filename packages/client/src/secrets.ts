/** What is told in place of a secret. */
export const redacted = "[redacted]";

/** Too short to be a secret, and likely to stand in other words. */
const shortest = 16;

/** Control characters, line separators and bidirectional overrides: they make a log or a terminal show what is not there. */
const deceptive = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Makes a reviver for `JSON.parse` that takes control characters out of every text, and then withholds every text in which one
 * of the secrets stands: a server, or a proxy, may repeat what it was sent. The names of members stay: see `rebuild`.
 */
export const withholding = (secrets: readonly string[]): (<T>(name: string, value: T) => T | string) => {
  return (_, value) => {
    if (typeof value !== "string") return value;
    const text = value.replace(deceptive, "");
    return secrets.some((secret) => secret.length >= shortest && text.includes(secret)) ? redacted : text;
  };
};
