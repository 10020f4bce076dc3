import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { ConnectionLimits } from "./limits.js";

/**
 * The module node:http. An `import` would read all of its exports, and reading `http.WebSocket` loads undici, which takes a
 * third as long as the server's start.
 */
export const nodeHttp = process.getBuiltinModule("node:http");

/** The private key and the certificate chain of a server, in PEM. */
export interface TlsKey {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

export type HttpClasses = Pick<
  ServerOptions<typeof IncomingMessage, typeof ServerResponse>,
  "IncomingMessage" | "ServerResponse"
>;

/** Node converts these numbers to 32-bit integers: Infinity would be an error or become 0. */
export const largestInteger = 2 ** 31 - 1;

/** Creates a node:http or node:https server that leaves all checks and error responses to its listener. */
export function createHttpServer(limits: ConnectionLimits, classes: HttpClasses, tls: TlsKey | undefined): Server {
  const options: ServerOptions<typeof IncomingMessage, typeof ServerResponse> = {
    ...classes,
    // Node's own response to a missing Host has no body.
    requireHostHeader: false,
    // By default Node silently drops a second Authorization or Host.
    joinDuplicateHeaders: true,
    maxHeaderSize: Math.min(limits.headerBytes, largestInteger),
    requestTimeout: limits.receiveTimeoutMs,
    headersTimeout: limits.receiveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, limits.receiveTimeoutMs),
    // The time that responses announce. A caller that uses a connection until then never meets one that is being closed.
    keepAliveTimeout: limits.keepAliveMs,
    keepAliveTimeoutBuffer: 2_000,
  };
  const server =
    tls === undefined
      ? nodeHttp.createServer(options)
      : process
          .getBuiltinModule("node:https")
          .createServer({ ...options, ...tls, handshakeTimeout: limits.receiveTimeoutMs });
  // No limit but headerBytes: by default Node silently drops headers after the first 2000.
  server.maxHeadersCount = 0;
  return server;
}
