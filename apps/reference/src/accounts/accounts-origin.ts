import { listenerUrl } from "../listener-url.js";
import { isLoopback } from "../setting-values.js";
import type { Settings } from "../settings.js";

/**
 * Returns the origin at which browsers reach the accounts listener on this port; undefined if there is none, or as long as its port
 * is not known. Passkeys need the name `localhost`: they do not work with an IP address.
 */
export function accountsOrigin(
  { accountsUrl, accountsTenant, accountsHost: host }: Settings,
  port: number,
): string | undefined {
  if (accountsUrl !== undefined || accountsTenant === undefined || port === 0) return accountsUrl;
  const local = isLoopback(host) || host === "0.0.0.0" || host === "::";
  return local ? `http://localhost:${port}` : listenerUrl(host, port);
}
