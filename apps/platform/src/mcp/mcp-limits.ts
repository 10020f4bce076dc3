import type { LimitedRoutes } from "@platform-rpc/accounts/http/limit-routes";
import { healthLimits } from "@platform-rpc/accounts/http/route-limits";
import type { Rate } from "@platform-rpc/server/host";

const document = { bodyBytes: 0, network: { perMinute: 6_000, burst: 1_000 }, withoutStorage: true } as const;

/** The limits of every route of the MCP listener. The operations that a tool calls have their own rates, which the API shares. */
export const mcpRoutes = {
  listener: "mcp",
  file: "mcp/mcp-limits.ts",
  limits: {
    ...healthLimits,
    "GET /.well-known/oauth-protected-resource": document,
    "GET /.well-known/oauth-protected-resource/mcp": document,
    // Hosted assistants share a few networks. Each request with a token counts for its person, too.
    "POST /mcp": { ...document, bodyBytes: 64 * 1024 },
  },
} as const satisfies LimitedRoutes;

/** How often one person may call the MCP endpoint, with all of their clients together. */
export const rateOfPerson: Rate = { perMinute: 600, burst: 200 };
