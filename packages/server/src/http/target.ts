export interface Target {
  readonly path: string;
  /** Without the question mark; empty if the target has no query. */
  readonly query: string;
  /** The host and port of a target in absolute form; undefined in origin form, where the Host header contains them. */
  readonly authority: string | undefined;
}

/** Splits a request target in origin or absolute form (RFC 9112 section 3.2). The path is not normalized. */
export function parseTarget(target: string): Target {
  const authority = target.startsWith("/") ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
  const origin = authority === undefined ? target : target.slice(target.indexOf("//") + 2 + authority.length);
  const mark = origin.indexOf("?");
  return mark === -1
    ? { path: origin, query: "", authority }
    : { path: origin.slice(0, mark), query: origin.slice(mark + 1), authority };
}

// `code` is not among them: it is a name of many things, and codes are recognised by their values.
const secretNames = new Set(
  "access_token token id_token refresh_token authorization device_code code_verifier request_uri".split(" "),
);

/** How the secrets are recognised that this platform and its clients create: each has a prefix that ordinary ids do not have. */
const issuedSecrets: readonly RegExp[] = [
  // A device code.
  /pdc_/,
  // A refresh token: its family, generation and MAC. See tokens/secrets.ts.
  /prt_[A-Za-z0-9-]{1,128}\.[0-9]{1,9}\.[\w-]{43}/,
  // An authorization code: its grant, and 32 random bytes.
  /pac_[A-Za-z0-9-]{1,128}\.[\w-]{43}/,
  // The `request_uri` of a pushed request (RFC 9126 section 2.2).
  /urn:ietf:params:oauth:request_uri:/i,
  // A PKCE verifier of `@platform-rpc/client`. Those of other clients look like any id, and are found by the name of their parameter.
  /pcv_[\w-]{43}/,
];

// The start of a JWT or JWE header: base64url of a JSON object that starts with `{"`, or with `{` and white space. The
// latter is matched only at the start of a word, because elsewhere ordinary words match too.
const headerPattern = /(?:eyJ|^eyA|^ew[ok0])[\w-]{7}/;

/**
 * Returns true if a string contains something that looks like a token, a code, a `request_uri` or a PKCE verifier. Such a string must
 * not be stored, logged or sent back. Runs in linear time.
 */
export function looksLikeSecret(text: string): boolean {
  if (issuedSecrets.some((pattern) => pattern.test(text))) return true;
  // An access token consists of base64url parts, separated by at least two dots.
  return text.includes(".") && /ey[AJ]|ew[ok0]/.test(text) && text.split(/[^\w.-]+/).some(containsToken);
}

/** Replaces each value of a JSON line that contains a secret. */
export function redactLine(line: string): string {
  if (!looksLikeSecret(line)) return line;
  const redact = (_: string, value: unknown) =>
    typeof value === "string" && looksLikeSecret(value) ? "[redacted]" : value;
  return `${JSON.stringify(JSON.parse(line, redact))}\n`;
}

/** Returns true if one of the parts between dots looks like a token header and at least two parts follow it. */
function containsToken(word: string): boolean {
  return word
    .split(".")
    .slice(0, -2)
    .some((part) => headerPattern.test(part));
}

/** Returns true if a query has a parameter with the name of a secret, or a name or value that looks like one. */
export function queryContainsSecret(query: string): boolean {
  for (const [name, value] of new URLSearchParams(query)) {
    if (secretNames.has(name.trim().toLowerCase()) || looksLikeSecret(value) || looksLikeSecret(name)) return true;
  }
  return false;
}
