/** What is told in place of a secret. */
export const redacted = "[redacted]";

/** Too short to be a secret, and likely to stand in other words. */
const shortest = 16;

/**
 * Makes a reviver for `JSON.parse` that withholds every text in which one of the secrets stands: a server, or a proxy, may
 * repeat what it was sent.
 */
export const withholding = (secrets: readonly string[]): (<T>(name: string, value: T) => T | string) => {
  return (_, value) =>
    typeof value === "string" && secrets.some((secret) => secret.length >= shortest && value.includes(secret))
      ? redacted
      : value;
};
