import type { Settings } from "./settings.js";
import { isLoopback } from "./values.js";

/** Returns the URL of a listener on this machine, with the loopback address if it listens on every address. */
export function listenerUrl(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${hostInUrl(host)}:${port}`;
}

/** Formats a host for URLs and Host headers: an IPv6 address gets brackets. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Where the accounts listener is reached. */
export interface AccountsUrls {
  /** The origin of the pages. */
  readonly origin: string;
  /** The origin of what programs call. */
  readonly issuer: string;
}

/**
 * Returns where the accounts listener is reached that this process has at a port, or another one at ACCOUNTS_URL. Undefined if there is
 * none.
 *
 * On this machine, browsers send the cookies of a host name to every port. So the pages have a name that nothing else has: programs listen
 * at `localhost` and 127.0.0.1. Passkeys work there, and browsers connect to it without a name server (RFC 6761 section 6.3). Programs
 * cannot rely on that: what they call is at an address.
 */
export function accountsUrls(
  { accountsUrl, accountsHost: host }: Settings,
  port: number | undefined,
): AccountsUrls | undefined {
  const local = isLoopback(host) || host === "0.0.0.0" || host === "::";
  const own = port && (local ? `http://accounts.localhost:${port}` : listenerUrl(host, port));
  const origin = accountsUrl ?? own;
  if (!origin) return undefined;
  const issuer = new URL(origin);
  if (issuer.protocol === "http:" && issuer.hostname.endsWith(".localhost")) {
    issuer.hostname = isLoopback(host) ? hostInUrl(host) : "127.0.0.1";
  }
  return { origin, issuer: issuer.origin };
}

/** Returns whether the pages have the name of this machine itself, at which other programs listen, too. */
export function sharesLocalhost({ accountsUrl }: Pick<Settings, "accountsUrl">): boolean {
  return accountsUrl !== undefined && new URL(accountsUrl).hostname === "localhost";
}

/** Returns whether browsers send the cookies of the pages to the API, too: cookies know no ports. */
export function sharesHostName({ accountsUrl, publicUrl }: Pick<Settings, "accountsUrl" | "publicUrl">): boolean {
  if (accountsUrl === undefined || publicUrl === undefined) return false;
  return new URL(accountsUrl).hostname === new URL(publicUrl).hostname;
}
