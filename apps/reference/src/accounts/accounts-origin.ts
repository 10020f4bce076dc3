import { listenerUrl } from "../listener-url.js";
import { isLoopback } from "../setting-values.js";
import type { Settings } from "../settings.js";

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
