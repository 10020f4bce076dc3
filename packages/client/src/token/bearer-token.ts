/** The rule for bearer tokens and how to fix a violation, for error messages. */
export const bearerTokenRule = 'must be a string of printable ASCII without spaces or "Bearer "';

/** Returns the text of a token, or undefined when it is not a bearer token (RFC 6750). */
export function readBearer(token: unknown): string | undefined {
  const { reveal }: { readonly reveal?: unknown } = Object(token);
  const text: unknown = typeof reveal === "function" ? Reflect.apply(reveal, token, []) : token;
  return typeof text === "string" && /^[!-~]+$/.test(text) ? text : undefined;
}
