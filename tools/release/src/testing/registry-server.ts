import { once } from "node:events";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";

/** Starts a local registry that serves these documents, keyed by URL path. Returns its URL. */
export async function startRegistryServer(
  documents: Readonly<Record<string, object | { readonly status: number }>>,
): Promise<string> {
  const server = createServer((request, response) => {
    const document = documents[request.url ?? ""] ?? { status: 404 };
    const status = "status" in document && typeof document.status === "number" ? document.status : 200;
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(document));
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}
