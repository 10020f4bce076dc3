import { hkdfSync } from "node:crypto";
import type { Accounts } from "@platform-rpc/accounts";
import type { SiteListener } from "@platform-rpc/accounts/http/site";
import type { McpResource } from "@platform-rpc/accounts/oauth/oauth-parts";
import type { Platform, Routes } from "@platform-rpc/server";
import { defaultLimits } from "@platform-rpc/server/host";
import { listenerUrl } from "../settings/listener-url.js";
import { mcpUrlAt } from "../settings/mcp-url.js";
import type { Settings } from "../settings/settings.js";
import type { McpListenerOptions } from "./mcp-listener.js";

/** The MCP listener, and what it is to clients that ask for tokens. */
export interface Mcp extends SiteListener {
  /** Returns the MCP server as a resource. Undefined until its port is known. */
  readonly resource: () => McpResource | undefined;
}

export interface OpenMcpOptions
  extends Pick<
    McpListenerOptions,
    "logger" | "clock" | "unread" | "onRequestEnd" | "apiUrl" | "readiness" | "started"
  > {
  readonly platform: Pick<Platform, "createResource" | "keyRing" | "own">;
  /** The public operations. */
  readonly routes: Routes;
  readonly accounts: Pick<Accounts, "origin" | "issuer" | "memberRoutes" | "rateLimiter">;
  /** The maximum number of simultaneous connections. */
  readonly connections: number;
}

export async function openMcp(settings: Settings, options: OpenMcpOptions): Promise<Mcp> {
  const { platform, routes, accounts, connections, ...parts } = options;
  const { trustedProxies, accountsAddressHeader: addressHeader } = settings;
  // Loaded only where it is used: most processes of a large platform serve the API alone.
  const { createMcpListener } = await import("./mcp-listener.js");
  let resource: McpResource | undefined;
  const listener = createMcpListener({
    ...parts,
    platform,
    own: platform.own,
    limits: { ...defaultLimits, ...settings.limits, connections },
    trustedProxies,
    addressHeader,
    rateLimiter: accounts.rateLimiter,
    routes: [routes, accounts.memberRoutes],
    stateKey: new Uint8Array(hkdfSync("sha256", platform.keyRing.hmacKey, "", "mcp-request-state", 32)),
    authorizationServer: accounts.issuer,
    origin: accounts.origin,
    resource() {
      if (resource === undefined) throw new TypeError("the MCP listener does not listen yet");
      return resource;
    },
  });
  return {
    ...listener,
    resource: () => resource,
    async listen(port, host) {
      const bound = await listener.listen(port, host);
      const url = mcpUrlAt(settings.mcpUrl ?? listenerUrl(host, bound.port));
      resource = { ...platform.createResource(url), url };
      return bound;
    },
  };
}
