import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { hasSecret } from "./http-secret.js";

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

const maxSessions = 100;

/**
 * Serves clients of the protocol's revisions before 2026, which need a session: without one, they cannot be asked for consent.
 * The oldest session ends when there are too many.
 */
function createLegacySessions(factory: McpServerFactory): (request: Request) => Promise<Response> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

  async function open(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      async onsessioninitialized(id) {
        const [oldest] = sessions;
        if (oldest !== undefined && sessions.size === maxSessions) {
          sessions.delete(oldest[0]);
          await oldest[1].close();
        }
        sessions.set(id, transport);
      },
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const server = await factory({ era: "legacy", requestInfo: request });
    await server.connect(transport);
    return transport.handleRequest(request);
  }

  return async (request) => {
    const id = request.headers.get("Mcp-Session-Id");
    if (id === null) return open(request);
    const session = sessions.get(id);
    return session?.handleRequest(request) ?? Response.json({ error: "The session has ended." }, { status: 404 });
  };
}
