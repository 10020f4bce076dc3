import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { hasSecret } from "./http-secret.js";
import { createLegacySessions } from "./legacy-sessions.js";

/** Larger than any call of a tool. */
const maxRequestBodySize = 64 * 1024;

/**
 * Creates the handler of streamable HTTP at `/mcp`. Rejects requests of web pages of other machines (their Host or Origin shows them,
 * also after DNS rebinding) and requests without the secret: every program on this machine can connect to the port.
 */
export function createHttpHandler(factory: McpServerFactory, secret: string): (request: Request) => Promise<Response> {
  const modern = createMcpHandler(factory, { legacy: "reject", maxRequestBodySize });
  const legacy = createLegacySessions(factory);
  return async (request) => {
    const rejected =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (rejected !== undefined) return rejected;
    if (!hasSecret(request.headers.get("Authorization"), secret)) {
      const text = "Send the secret of this server: Authorization: Bearer <secret>.";
      return Response.json({ error: text }, { status: 401, headers: { "WWW-Authenticate": "Bearer" } });
    }
    if (new URL(request.url).pathname !== "/mcp") return Response.json({ error: "Use /mcp." }, { status: 404 });
    return (await isLegacyRequest(request, undefined, { maxRequestBodySize }))
      ? legacy(request)
      : modern.fetch(request);
  };
}
