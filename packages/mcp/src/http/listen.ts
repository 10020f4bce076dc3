import { toNodeHandler } from "@modelcontextprotocol/node";
import { createHandlerListener, type HandlerListener } from "@platform-rpc/front";
import { ProgramError } from "@platform-rpc/signed-in";

/** How many connections the clients on this machine may have. */
const connections = 100;

/** Listens on the loopback address. Resolves with the listener and the URL of its MCP endpoint. */
export async function listen(
  fetch: (request: Request) => Promise<Response>,
  port: number,
): Promise<{ readonly listener: HandlerListener; readonly url: string }> {
  const handle = toNodeHandler({ fetch });
  const listener = createHandlerListener({
    limits: { connections },
    handle(request, response) {
      const { method = "GET", url = "/", headers } = request;
      return handle({ method, url, headers, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() }, response);
    },
  });
  const bound = await listener.listen(port, "127.0.0.1").catch((thrown: unknown) => {
    const { code }: { readonly code?: unknown } = Object(thrown);
    throw new ProgramError(`Port ${port} of 127.0.0.1 cannot be used (${code}). Choose another with --http.`);
  });
  return { listener, url: `http://127.0.0.1:${bound.port}/mcp` };
}
