import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { ProgramError } from "@platform-rpc/program";

/** Listens on the loopback address. Resolves with the server and the URL of its MCP endpoint. */
export async function listen(
  fetch: (request: Request) => Promise<Response>,
  port: number,
): Promise<{ readonly server: Server; readonly url: string }> {
  const handle = toNodeHandler({ fetch });
  const server = createServer((request, response) => {
    const { method = "GET", url = "/", headers } = request;
    void handle({ method, url, headers, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() }, response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((thrown: unknown) => {
    const { code }: { readonly code?: unknown } = Object(thrown);
    throw new ProgramError(`Port ${port} of 127.0.0.1 cannot be used (${code}). Choose another with --http.`);
  });
  const address = server.address();
  const bound = typeof address === "object" ? address?.port : port;
  return { server, url: `http://127.0.0.1:${bound}/mcp` };
}
