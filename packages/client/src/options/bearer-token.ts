// Not in token.ts: no bundler drops the class there, and entries without tokens of their own use these functions.

/** Returns the text of a token, or undefined when it is not a bearer token (RFC 6750). */
export function readBearer(token: unknown): string | undefined {
  const text = textOf(token);
  return bearerProblem(text) ? undefined : String(text);
}

/** Returns why a value is not a bearer token and what to pass instead, for messages; undefined for a token. */
export function bearerProblem(token: unknown): string | undefined {
  const text = textOf(token);
  if (typeof text === "string") {
    if (/^[!-~]+$/.test(text)) return undefined;
    if (/^bearer /i.test(text)) return 'starts with "Bearer ": pass only what follows';
    if (/[\r\n]/.test(text)) return "contains a line break: trim it";
  }
  return "must be a string of printable ASCII without spaces";
}

function textOf(token: unknown): unknown {
  const { reveal }: { readonly reveal?: unknown } = Object(token);
  return typeof reveal === "function" ? Reflect.apply(reveal, token, []) : token;
}
