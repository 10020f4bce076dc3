/** The characters of a URI with an authority (RFC 3986). WHATWG parsers accept other characters and silently correct them. */
const uri = /^https?:\/\/(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/i;

/**
 * Normalizes an HTTP target URI so that equivalent spellings are equal: scheme and host in lower case, no default port, no dot
 * segments, unnecessary percent-encodings decoded and the others in upper case, no query and no fragment. Returns undefined when
 * the text is not an absolute http or https URI, or contains a user.
 *
 * @see RFC 9449 section 4.3, RFC 3986 sections 6.2.2 and 6.2.3
 */
export function normalizeTargetUri(text: string): string | undefined {
  if (!uri.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, username, password } = new URL(text);
  if (username !== "" || password !== "") return undefined;
  return `${origin}${pathname.replaceAll(/%[0-9A-Fa-f]{2}/g, normalizeEncoding)}`;
}

function normalizeEncoding(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded.toUpperCase();
}
