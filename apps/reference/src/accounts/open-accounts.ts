import { listenerUrl } from "../listener-url.js";
import { isLoopback } from "../setting-values.js";
import type { Settings } from "../settings.js";
import type { AccountsListener } from "./accounts-listener.js";
import type { AccountsParts } from "./accounts-parts.js";

/** The accounts listener, and the origin at which browsers reach it. */
export interface Accounts extends AccountsListener {
  /** Returns the origin, such as `https://accounts.example`. Without ACCOUNTS_URL, it is known once the listener listens. */
  readonly origin: () => string;
}

/** Creates the accounts listener; undefined without a tenant whose people could sign in. */
export async function openAccounts(
  { accountsTenant: tenantId, accountsUrl }: Settings,
  parts: Omit<AccountsParts, "tenantId" | "origin">,
): Promise<Accounts | undefined> {
  if (tenantId === undefined) return undefined;
  let origin = accountsUrl ?? "";
  // Loaded only where it is used: most processes of a large platform serve the API alone.
  const { createAccountsListener } = await import("./accounts-listener.js");
  const listener = createAccountsListener({ ...parts, tenantId, origin: () => origin });
  return {
    ...listener,
    origin: () => origin,
    async listen(port, host) {
      const bound = await listener.listen(port, host);
      origin = accountsUrl ?? localOrigin(host, bound.port);
      return bound;
    },
  };
}

/** Returns the origin of a listener on this machine. Passkeys need the name `localhost`: they do not work with an IP address. */
function localOrigin(host: string, port: number): string {
  const local = isLoopback(host) || host === "0.0.0.0" || host === "::";
  return local ? `http://localhost:${port}` : listenerUrl(host, port);
}
