import { normalizeUri } from "./identifiers.js";

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
/** The scheme and the host of a loopback redirect URI, and the port with its colon. */
const authorityOf = /^(http:\/\/(?:\[::1\]|[^:/?]+))(?::[0-9]+)?/i;
const loopback = /^(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?$/;
/**
 * The hosts that a source of a Content-Security-Policy can name. The other characters that the URL parser takes for a host would end a
 * directive, or its source; with `_` or a dot at the end, browsers ignore the source, and the answer never arrives.
 */
const host = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::[0-9]+)?$/;

type Parts =
  | Exclude<RedirectTarget, { kind: "loopback" }>
  /** The host without the port, the port with its colon, and what follows the port. */
  | { readonly kind: "loopback"; readonly host: string; readonly port: string; readonly rest: string };

/** Where the response to a request goes. */
export interface Redirection {
  /** The registered redirect URI, with the port of the request if it is a loopback one. */
  readonly redirectUri: string;
  readonly registered: string;
}

/**
 * Returns whether a client may register a redirect URI:
 *
 * - `http://127.0.0.1`, `http://[::1]` and `http://localhost`, with any port (RFC 8252 section 7.3)
 * - schemes of apps, which contain a dot, followed by `:/` (RFC 8252 section 7.1)
 * - otherwise `https`. Names of other scripts are written as A-labels (`xn--`).
 *
 * It has at most 2048 characters, no fragment and no user information.
 */
export function isRedirectUri(uri: string): boolean {
  return split(uri) !== undefined;
}

/**
 * Finds the registered redirect URI of a client that a request names: the one with the same normal form. The response goes to the
 * registered spelling. Only the port of a loopback redirect URI may differ (RFC 8252 section 7.3), because a program takes a port that is
 * free.
 */
export function findRedirection(registered: readonly string[], sent: string): Redirection | undefined {
  const parts = split(sent);
  if (parts === undefined) return undefined;
  const same = registered.includes(sent) ? sent : registered.find((uri) => isSameRedirectUri(uri, sent));
  if (same !== undefined) return { redirectUri: same, registered: same };
  if (parts.kind !== "loopback") return undefined;
  const onAnyPort = registered.find((uri) => isSameButPort(split(uri), parts));
  if (onAnyPort === undefined) return undefined;
  return { redirectUri: onAnyPort.replace(authorityOf, (_, before) => before + parts.port), registered: onAnyPort };
}

/** Returns whether two redirect URIs are the same one: they have the same normal form. */
export function isSameRedirectUri(one: string, other: string): boolean {
  return normalizeUri(one) === normalizeUri(other);
}

function isSameButPort(one: Parts | undefined, other: Parts & { readonly kind: "loopback" }): boolean {
  return one?.kind === "loopback" && one.host === other.host && one.rest === other.rest;
}

/** @throws RangeError if a client may not register the redirect URI. */
export function redirectTarget(uri: string): RedirectTarget {
  const parts = split(uri);
  if (parts === undefined) throw new RangeError("not a redirect URI that a client may register");
  const local = parts.kind === "loopback" || (parts.kind === "host" && loopback.test(parts.host));
  return local ? { kind: "loopback" } : parts;
}

/**
 * Returns the parts of a redirect URI, in their normal form, or undefined if no client may register it. The text itself is split. The URL
 * parser, which would also repair what it reads, may only object.
 */
function split(sent: string): Parts | undefined {
  if (sent.length > longest || !characters.test(sent) || !URL.canParse(sent)) return undefined;
  const uri = normalizeUri(sent);
  const [, scheme, authority = "", rest = ""] = web.exec(uri) ?? [];
  if (scheme === "http") {
    const [, name, port] = loopback.exec(authority) ?? [];
    if (name === undefined || Number(port ?? 80) > 65535) return undefined;
    return { kind: "loopback", host: name, port: port === undefined ? "" : `:${port}`, rest };
  }
  if (scheme === "https") {
    const canonical = host.test(authority) && new URL(uri).host === authority;
    return canonical ? { kind: "host", host: authority } : undefined;
  }
  const [, app, claimed = ""] = privateUse.exec(uri) ?? [];
  return app === undefined || claimed.includes("@") ? undefined : { kind: "app", scheme: app };
}
