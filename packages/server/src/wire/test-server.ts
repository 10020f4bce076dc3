import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createFetchHandler } from "../http/fetch-handler.js";
import { createListener } from "../http/listener.js";
import type { GatedRoutes, Listener, ListenerOptions } from "../http/options.js";
import { selfSigned } from "./self-signed.js";
import { serveFetch } from "./serve-fetch.js";

/** How calls reach the code under test: by its own listener, over TLS, or mounted in a server of node:http. */
export type ServedOver = "listen" | "tls" | "handle" | "fetch";

let servedOver: ServedOver = "listen";

/** Makes all servers that this test file starts from now on be served in another way. */
export function serveTestsOver(over: ServedOver): void {
  servedOver = over;
}

/** A platform that is served on a free port of 127.0.0.1. */
export interface TestServer {
  readonly listener: Listener;
  readonly port: number;
  readonly url: string;
  /** Opens a connection, from an address of this machine. */
  connect(localAddress?: string): Socket;
  close(): Promise<void>;
}

/** Serves a platform in the way that `serveTestsOver` says. */
export async function startTestServer(platform: GatedRoutes, options: ListenerOptions): Promise<TestServer> {
  const tls = servedOver === "tls" ? selfSigned() : undefined;
  const listener = createListener(platform, { ...options, ...(tls && { tls }) });
  const host =
    servedOver === "handle"
      ? createServer(listener.handle)
      : servedOver === "fetch"
        ? serveFetch(createFetchHandler(platform, options))
        : undefined;
  const port = host === undefined ? (await listener.listen(0, "127.0.0.1")).port : await listenOn(host);
  return {
    listener,
    port,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    connect(localAddress) {
      const target = { port, host: "127.0.0.1", localAddress };
      return tls === undefined ? connect(target) : connectTls({ ...target, ca: tls.cert, servername: "localhost" });
    },
    async close() {
      await listener.close(0);
      if (host !== undefined) await new Promise((resolve) => host.close(resolve).closeAllConnections());
    },
  };
}

function listenOn(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new TypeError("not listening on a port"));
      else resolve(address.port);
    });
  });
}
