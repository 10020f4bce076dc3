import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type BoundSocket, type ListenAddress, listen } from "./bound-socket.js";
import type { Connection, Rejection } from "./connection.js";
import { createConnectionErrors, type RejectedRequestParts } from "./connection-errors.js";
import { type Connections, createConnections } from "./connections.js";
import { createHttpServer, type HttpClasses, type TlsKey } from "./http-server.js";
import type { RawAnswer } from "./last-response.js";
import type { ConnectionLimits } from "./limits.js";
import type { Trust } from "./places.js";
import type { UnreadResponses } from "./unread-responses.js";

/** What a listener does with the requests that its front accepts. */
export interface FrontOptions {
  readonly limits: ConnectionLimits;
  /** The addresses of proxies. Default: none. */
  readonly trustedProxies?: Trust | undefined;
  /** Counts unread responses, also those of other listeners. Default: one of this listener. */
  readonly unread?: UnreadResponses | undefined;
  /** Serves HTTPS. Default: plain HTTP. */
  readonly tls?: TlsKey | undefined;
  readonly classes?: HttpClasses;
  /** Serves a request whose turn it is. Must call `connections.take` with its exchange, and `connections.release` at its end. */
  readonly serve: (connection: Connection, request: IncomingMessage, response: ServerResponse) => void;
  /** Returns the response to a CONNECT request, for which node:http creates no response object. */
  readonly onConnect: (request: IncomingMessage) => RawAnswer;
  /** Returns the response to a request that cannot be read, or to one too many on its connection, and logs it. */
  readonly rejected: (rejection: Rejection, from: RejectedRequestParts) => RawAnswer;
  /** Called when a connection could not be accepted, for example because file descriptors ran out. */
  readonly notAccepted: (error: Error) => void;
}

/** The front of a listener: its server and connections. */
export interface Front {
  readonly connections: Connections;
  /** Starts to listen and returns the address. Port 0 selects a free port. Rejects when the address is not available. */
  listen(at: Omit<ListenAddress, "backlog"> | BoundSocket): Promise<AddressInfo>;
  /**
   * Rejects requests that have not arrived completely as UNAVAILABLE. Waits up to `graceMs` for the others, and up to `drainMs` for
   * their responses to be sent. Then closes all connections. The listener itself must reject new requests, and end each connection
   * with its response.
   */
  close(graceMs: number): Promise<void>;
}

/**
 * Creates the front of a listener: the same bounds and time limits for every listener. It limits connections, in total and for each
 * address, the time that a request may take to arrive and a response to be read, and the requests that wait on a connection, which it
 * serves one after the other.
 */
export function createFront(options: FrontOptions): Front {
  const { limits, tls, serve } = options;
  const connections = createConnections(limits, options.trustedProxies, options.unread);
  const connectionErrors = createConnectionErrors({ limits, connections, rejected: options.rejected });
  const server = createHttpServer(limits, options.classes ?? {}, tls);

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.of(request.socket);
    if (connection === undefined) return;
    connections.receive(connection, request);
    if (!connections.takeTurn(connection, () => serve(connection, request, response))) {
      connectionErrors.answer(connection, () => options.rejected("RATE_LIMITED", request));
    }
  }

  connections.watch(server, { tls: tls !== undefined });
  server.on("request", onRequest);
  // Expect: the listener sends "100 Continue", after its checks. Node would send it, or 417 without a body, before them.
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("connect", (request: IncomingMessage, socket: Duplex) => {
    const connection = connections.of(socket);
    if (connection !== undefined) connectionErrors.answer(connection, () => options.onConnect(request));
  });
  server.on("clientError", connectionErrors.onClientError);

  return {
    connections,
    async listen(at) {
      const bound = await listen(server, "handTo" in at ? at : { ...at, backlog: limits.backlog });
      // From here on, an error means that a connection could not be accepted. The listener keeps running.
      server.on("error", options.notAccepted);
      return bound;
    },
    async close(graceMs) {
      for (const { exchange } of connections.all()) {
        if (exchange?.request.complete === false) exchange.reject("UNAVAILABLE");
      }
      const isServed = ({ exchange, waiting }: Connection) => exchange?.settled ?? waiting.length === 0;
      await connections.until(isServed, graceMs);
      await connections.until(
        ({ exchange, waiting, ending }) => exchange === undefined && waiting.length === 0 && !ending,
        limits.drainMs,
      );
      connections.closeAll();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
