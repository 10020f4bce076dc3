import { jsonRpcError } from "@platform-rpc/accounts/http/error-forms";
import { authorizationDetailsTypes, readScope } from "@platform-rpc/accounts/oauth-clients/grants";
import type { Context } from "hono";
import { mcpPath } from "../settings/mcp-url.js";
import type { McpParts } from "./mcp-parts.js";

const wellKnown = "/.well-known/oauth-protected-resource";

/** The paths of the metadata. The well-known path precedes the path of the resource (RFC 9728 section 3.1); some clients leave that out. */
export const metadataPaths = [wellKnown + mcpPath, wellKnown] as const;

/** The scopes of the tools. Here, because the metadata must not load them. */
const mcpScopes: readonly string[] = ["vault.items:delete", readScope, "vault.items:restore"];

/** Returns the metadata of the MCP server (RFC 9728 section 2, RFC 9396 section 10), with which a client finds where its person signs in. */
export function resourceMetadata({
  resource,
  authorizationServer,
  apiUrl,
}: Pick<McpParts, "resource" | "authorizationServer" | "apiUrl">) {
  return {
    resource: resource.url,
    resource_name: "Platform MCP server",
    authorization_servers: [authorizationServer],
    scopes_supported: mcpScopes,
    authorization_details_types_supported: authorizationDetailsTypes,
    bearer_methods_supported: ["header"],
    resource_documentation: `${apiUrl}/docs`,
  };
}

export function metadataUrl({ resource }: Pick<McpParts, "resource">): string {
  return new URL(metadataPaths[0], resource.url).href;
}

/**
 * Responds to a request without a valid token (RFC 6750 section 3, RFC 9728 section 5.1). It names the scopes of all tools: many clients
 * never ask for a further one. The person decides which of them to allow.
 */
export function challenge(context: Context, parts: Pick<McpParts, "resource">, token: string | undefined) {
  const error = token === undefined ? "" : 'error="invalid_token", ';
  const parameters = `${error}resource_metadata="${metadataUrl(parts)}", scope="${mcpScopes.join(" ")}"`;
  context.header("WWW-Authenticate", `Bearer ${parameters}`);
  const message =
    token === undefined
      ? "Send an access token for this server: Authorization: Bearer <token>."
      : "The access token has expired, was revoked, or is not for this server. Get a new one.";
  return context.json(jsonRpcError(message), 401);
}
