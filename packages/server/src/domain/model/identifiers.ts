/** The characters of a URI (RFC 3986 section 2). Text of any language, spaces, control characters and `\\` are not among them. */
const characters = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/;
/** The scheme, the host with its port, and the rest. Not a URI with user information. */
const withHost = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@]+)(?![^/?#])(.*)$/i;
const scheme = /^[a-z][a-z0-9+.-]*:/i;
const defaultPorts: Readonly<Record<string, RegExp>> = { http: /:80$/, https: /:443$/ };

/**
 * Returns the normal form of a URI: scheme and host in lower case, no default port, and `/` instead of an empty path (RFC 3986 sections
 * 6.2.2.1 and 6.2.3). Every client and server reads two URIs with the same form as one.
 *
 * Nothing else changes: no escape is decoded, no dot segment is removed, and a slash or a query counts. Servers disagree about those, so
 * a URI that differs in one of them may lead to somebody else. For the same reason the text is not given to a URL parser, which repairs
 * what it reads. Returns a text that is not a URI unchanged.
 */
export function normalizeUri(uri: string): string {
  if (!characters.test(uri)) return uri;
  const [, name, authority = "", rest = ""] = withHost.exec(uri) ?? [];
  if (name === undefined) return uri.replace(scheme, (start) => start.toLowerCase());
  const protocol = name.toLowerCase();
  const host = authority.toLowerCase().replace(defaultPorts[protocol] ?? "", "");
  return `${protocol}://${host}${rest.startsWith("/") ? "" : "/"}${rest}`;
}

/**
 * Returns whether two identifiers name the same resource (RFC 8707, RFC 9728): people and clients write its URL with and without a slash
 * at the end.
 */
export function isSameResource(one: string, other: string): boolean {
  return normalizeUri(one).replace(/\/$/, "") === normalizeUri(other).replace(/\/$/, "");
}

/** Returns whether two identifiers name the same issuer (RFC 8414 section 2). */
export function isSameIssuer(one: string, other: string): boolean {
  return normalizeUri(one) === normalizeUri(other);
}
