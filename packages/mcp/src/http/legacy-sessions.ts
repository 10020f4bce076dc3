import { randomUUID } from "node:crypto";
import { type McpServerFactory, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

const maxSessions = 100;

/**
 * Serves clients of the protocol's revisions before 2026, which need a session: without one, they cannot be asked for consent.
 * The oldest session ends when there are too many.
 */
export function createLegacySessions(factory: McpServerFactory): (request: Request) => Promise<Response> {
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
