/** Where a redirect URI leads, as a person is told. */
export type RedirectTarget =
  /** A website. The host has its port, unless it is 443. */
  | { readonly kind: "host"; readonly host: string }
  /** Any program on the person's computer that listens on the port. */
  | { readonly kind: "loopback" }
  /** The app that the person's device opens for the scheme. Other apps may claim the same one. */
  | { readonly kind: "app"; readonly scheme: string };

const longest = 2048;
/** The characters of a URI (RFC 3986 section 2) without `#`. Text of any language, spaces and `\` are not among them. */
const characters = /^(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/;
const web = /^(https?):\/\/([^/?]*)((?:[/?].*)?)$/;
const privateUse = /^([a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+):\/(?:\/([^/?]*))?/;
const loopback = /^(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?$/;
/**
 * The hosts that a source of a Content-Security-Policy can name. The other characters that the URL parser takes for a host would end a
 * directive, or its source; with `_` or a dot at the end, browsers ignore the source, and the answer never arrives.
 */
const host = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::[0-9]+)?$/;

type Parts =
  | Exclude<RedirectTarget, { kind: "loopback" }>
  /** The host without the port, and what follows the port. */
  | { readonly kind: "loopback"; readonly host: string; readonly rest: string };

/**
 * Returns whether a client may register a redirect URI:
 *
 * - `http://127.0.0.1`, `http://[::1]` and `http://localhost`, with any port (RFC 8252 section 7.3)
 * - schemes of apps, which contain a dot, followed by `:/` (RFC 8252 section 7.1)
 * - otherwise `https` with a host in lower case, without the port 443. Names of other scripts are written as A-labels (`xn--`).
 *
 * It has at most 2048 characters, no fragment and no user information.
 */
export function isRedirectUri(uri: string): boolean {
  return split(uri) !== undefined;
}

/**
 * Returns whether the redirect URI of a request is one of a client's registered ones: the same string. Only the port of a loopback
 * redirect URI may differ (RFC 8252 section 7.3), because a program takes a port that is free.
 */
export function redirectUriMatches(registered: readonly string[], sent: string): boolean {
  const parts = split(sent);
  if (parts === undefined) return false;
  if (registered.includes(sent)) return true;
  return parts.kind === "loopback" && registered.some((uri) => isSameButPort(split(uri), parts));
}

function isSameButPort(one: Parts | undefined, other: Parts & { readonly kind: "loopback" }): boolean {
  return one?.kind === "loopback" && one.host === other.host && one.rest === other.rest;
}

/**
 * Returns where a redirect URI leads.
 *
 * @throws RangeError if a client may not register it.
 */
export function redirectTarget(uri: string): RedirectTarget {
  const parts = split(uri);
  if (parts === undefined) throw new RangeError("not a redirect URI that a client may register");
  const local = parts.kind === "loopback" || (parts.kind === "host" && loopback.test(parts.host));
  return local ? { kind: "loopback" } : parts;
}

/**
 * Returns the parts of a redirect URI, or undefined if no client may register it. The string itself is split. The URL parser, which
 * would also repair what it reads, may only object.
 */
function split(uri: string): Parts | undefined {
  if (uri.length > longest || !characters.test(uri) || !URL.canParse(uri)) return undefined;
  const [, scheme, authority = "", rest = ""] = web.exec(uri) ?? [];
  if (scheme === "http") {
    const [, name, port = "80"] = loopback.exec(authority) ?? [];
    return name === undefined || Number(port) > 65535 ? undefined : { kind: "loopback", host: name, rest };
  }
  if (scheme === "https") {
    const canonical = host.test(authority) && new URL(uri).host === authority;
    return canonical ? { kind: "host", host: authority } : undefined;
  }
  const [, app, claimed = ""] = privateUse.exec(uri) ?? [];
  return app === undefined || claimed.includes("@") ? undefined : { kind: "app", scheme: app };
}
