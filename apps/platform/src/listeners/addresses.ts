import { type AccountsUrls, accountsUrls, listenerUrl } from "../settings/listener-url.js";
import { mcpUrlAt } from "../settings/mcp-url.js";
import type { Settings } from "../settings/settings.js";
import type { Sockets } from "./bind-sockets.js";

/** Where the app is reached. */
export interface Addresses {
  /** The URL of the API as its callers see it, with the base path. */
  readonly apiUrl: string;
  /** The URL of the API on this machine, with the base path. */
  readonly localUrl: string;
  /** The URL of the internal listener on this machine. */
  readonly internalUrl: string;
  /** The accounts listener of this process, or of another one at ACCOUNTS_URL. Undefined if there is none. */
  readonly accounts: AccountsUrls | undefined;
  /** The URL of the MCP endpoint. Undefined without one. */
  readonly mcpUrl: string | undefined;
}

export function addressesOf(settings: Settings, sockets: Sockets): Addresses {
  const { publicUrl, basePath, host, internalHost, mcpHost, mcpUrl } = settings;
  const { accounts, mcp } = sockets;
  const origin = listenerUrl(host, sockets.public.address.port);
  return {
    apiUrl: publicUrl ?? origin,
    localUrl: origin + basePath,
    internalUrl: listenerUrl(internalHost, sockets.internal.address.port),
    accounts: accountsUrls(settings, accounts?.address.port),
    mcpUrl: mcp && mcpUrlAt(mcpUrl ?? listenerUrl(mcpHost, mcp.address.port)),
  };
}
