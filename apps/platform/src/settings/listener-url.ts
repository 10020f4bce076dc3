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

/**
 * Returns the origin of the accounts listener, as browsers see it. Undefined if the listener does not start, or if `port` is 0: the
 * system then selects a port, and ACCOUNTS_URL is not set. The origin contains the name `localhost`, because passkeys do not work with
 * an IP address.
 */
export function accountsOrigin(
  { accountsUrl, accountsTenant, accountsHost: host }: Settings,
  port: number,
): string | undefined {
  if (accountsUrl !== undefined || accountsTenant === undefined || port === 0) return accountsUrl;
  const local = isLoopback(host) || host === "0.0.0.0" || host === "::";
  return local ? `http://localhost:${port}` : listenerUrl(host, port);
}
