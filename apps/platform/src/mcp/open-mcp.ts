import { hkdfSync } from "node:crypto";
import type { Accounts } from "@platform-rpc/accounts";
import type { SiteListener } from "@platform-rpc/accounts/http/site";
import type { McpResource } from "@platform-rpc/accounts/oauth/oauth-parts";
import { defaultLimits } from "@platform-rpc/server/host";
import type { ListenerParts } from "../listeners/listener-parts.js";
import { afterEachCall } from "../rpc/after-each-call.js";

/** Creates the MCP listener. Clients get tokens for it, as a resource, from the accounts listener. */
export async function openMcp(parts: ListenerParts, accounts: Accounts, resource: McpResource): Promise<SiteListener> {
  const { settings, addresses, platform, clock, logger, unread, metrics, afterCall } = parts;
  // Loaded only where it is used: most processes of a large platform serve the API alone.
  const { createMcpListener } = await import("./mcp-listener.js");
  const listener = createMcpListener({
    ...{ platform, own: platform.own, clock, logger, unread, resource },
    origin: accounts.origin,
    authorizationServer: accounts.issuer,
    apiUrl: addresses.apiUrl,
    readiness: parts.health.readiness,
    onRequestEnd: metrics.onMcpRequestEnd,
    limits: { ...defaultLimits, ...settings.limits, connections: parts.connections.mcp },
    trustedProxies: settings.trustedProxies,
    addressHeader: settings.accountsAddressHeader,
    rateLimiter: accounts.rateLimiter,
    routes: [afterEachCall(platform.routes, afterCall), accounts.memberRoutes],
    stateKey: new Uint8Array(hkdfSync("sha256", platform.keyRing.hmacKey, "", "mcp-request-state", 32)),
  });
  metrics.countConnections("mcp", listener.connections);
  return listener;
}
