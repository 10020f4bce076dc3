import { jsonRpcError } from "@platform-rpc/accounts/http/error-forms";
import { openToPages } from "@platform-rpc/accounts/http/open-to-pages";
import { RequestError } from "@platform-rpc/accounts/http/request-error";
import { knownHost } from "@platform-rpc/accounts/http/same-origin";
import { createSiteListener, type SiteListener, type SiteListenerOptions } from "@platform-rpc/accounts/http/site";
import { queryContainsSecret } from "@platform-rpc/server/host";
import { mcpPath } from "../settings/mcp-url.js";
import { createMcpEndpoint } from "./mcp-endpoint.js";
import { mcpRoutes } from "./mcp-limits.js";
import type { McpParts } from "./mcp-parts.js";
import { metadataPaths, resourceMetadata } from "./protected-resource.js";

interface McpListenerOptions extends McpParts, Pick<SiteListenerOptions, "limits" | "trustedProxies" | "unread"> {}

/** Creates the MCP listener: streamable HTTP for clients with a token of this resource. It never looks at cookies. */
export function createMcpListener(parts: McpListenerOptions): SiteListener {
  const { resource } = parts;
  const endpoint = createMcpEndpoint(parts);
  const listener = createSiteListener(
    parts,
    {
      routes: mcpRoutes,
      formOf: () => "json-rpc",
      notFound: () => `Use ${resource.url}.`,
      mount(app) {
        app.use(knownHost(new URL(resource.url).origin));
        // Clients in browsers look for documents at many paths, with any header. They read the errors, too.
        app.use(openToPages());
        for (const path of metadataPaths) {
          app.get(path, (context) =>
            context.json(resourceMetadata(parts), 200, { "Cache-Control": "public, max-age=600" }),
          );
        }
        app.post(mcpPath, (context) => {
          if (queryContainsSecret(new URL(context.req.url).search.slice(1))) throw new RequestError("TOKEN_IN_QUERY");
          return endpoint.handle(context);
        });
        app.all(mcpPath, (context) => {
          context.header("Allow", "POST");
          const message = "Use POST: this server keeps no sessions and no open streams.";
          return context.json(jsonRpcError(message), 405);
        });
      },
    },
    parts,
  );
  return {
    ...listener,
    async close() {
      await listener.close();
      await endpoint.close();
    },
  };
}
