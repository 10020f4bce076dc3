import { createServer, type Server } from "node:http";
import { Readable } from "node:stream";

/** Creates a node:http server around a fetch handler, as frameworks do. */
export function serveFetch(handle: (request: Request) => Promise<Response>): Server {
  return createServer(async (incoming, outgoing) => {
    const { method = "GET", rawHeaders, headers, url = "/" } = incoming;
    if (!URL.canParse(url, `http://${headers.host}`)) {
      outgoing.writeHead(400).end();
      return;
    }
    const leaving = new AbortController();
    outgoing.on("close", () => leaving.abort());
    const named = new Headers();
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      named.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
    }
    const bodiless = method === "GET" || method === "HEAD";
    const request = new Request(new URL(url, `http://${headers.host}`), {
      method,
      headers: named,
      signal: leaving.signal,
      ...(!bodiless && { body: Readable.toWeb(incoming), duplex: "half" }),
    });
    const response = await handle(request);
    const body = Buffer.from(await response.arrayBuffer());
    outgoing.writeHead(response.status, [
      ...[...response.headers].flat(),
      ...(response.status === 204 ? [] : ["Content-Length", String(body.length)]),
    ]);
    outgoing.end(body);
  });
}
