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

const secretNames = new Set(["access_token", "token", "id_token", "refresh_token", "authorization", "device_code"]);

// The start of a JWT or JWE header: base64url of a JSON object that starts with `{"`, or with `{` and white space. The
// latter is matched only at the start of a word, because elsewhere ordinary words match too.
const headerPattern = /(?:eyJ|^eyA|^ew[ok0])[\w-]{7}/;

const refreshPattern = /prt_[A-Za-z0-9-]{1,128}\.[0-9]{1,9}\.[\w-]{43}/;

/**
 * Returns true if a string contains something that looks like a token or a device code. Such a string must not be stored,
 * logged or sent back. Runs in linear time.
 */
export function looksLikeSecret(text: string): boolean {
  if (text.includes("pdc_")) return true;
  // An access token consists of base64url parts, separated by at least two dots.
  return text.includes(".") && (refreshPattern.test(text) || text.split(/[^\w.-]+/).some(containsToken));
}

/** Returns true if one of the parts between dots looks like a token header and at least two parts follow it. */
function containsToken(word: string): boolean {
  return word
    .split(".")
    .slice(0, -2)
    .some((part) => headerPattern.test(part));
}

/** Returns true if a query has a parameter with the name of a token or code, or a name or value that looks like one. */
export function queryContainsSecret(query: string): boolean {
  for (const [name, value] of new URLSearchParams(query)) {
    if (secretNames.has(name.trim().toLowerCase()) || looksLikeSecret(value) || looksLikeSecret(name)) return true;
  }
  return false;
}
