import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { toRpcError, unavailable } from "../rpc/to-rpc-error.js";
import { createConnectionErrors } from "./connection-errors.js";
import { type Connection, createConnections } from "./connections.js";
import { createSharedDeadlines } from "./deadlines.js";
import { checkRequest, requireKnownHost, requireWellFormed } from "./gate.js";
import { createHttpServer, listen } from "./http-server.js";
import { createHttpService } from "./http-service.js";
import { headOf, NodeExchange } from "./node-exchange.js";
import type { GatedRoutes, Listener, ListenerOptions } from "./options.js";
import { requestIdFrom } from "./request-id.js";

/**
 * Creates a listener: the platform's strict unary handler, directly on node:http. It runs the gate before it reads a body,
 * enforces the deadline even if a handler ignores its signal, and sends the Error body for every failure, including those
 * that node:http would otherwise respond to.
 *
 * @example
 * ```ts
 * import { createListener } from "@platform-rpc/server";
 *
 * const listener = createListener(platform, { logger });
 * const { port } = await listener.listen(0, "127.0.0.1");
 * const answer = await fetch(`http://127.0.0.1:${port}/nowhere`);
 * console.log(answer.status, answer.headers.get("Content-Type"));
 * // 404 application/json
 * await listener.close();
 * ```
 *
 * @throws TypeError when an operation streams, lacks its options or has another visibility, or when an origin in `corsOrigins` is
 * invalid.
 */
export function createListener(platform: GatedRoutes, options: ListenerOptions): Listener {
  const service = createHttpService(platform, options, createSharedDeadlines());
  const { limits, log } = service;
  const connections = createConnections(limits);
  const connectionErrors = createConnectionErrors({ limits, log, connections });
  let closing: Promise<void> | undefined;

  function serve(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const exchange = new NodeExchange(service, connections, connection, request, response);
    connections.take(connection, exchange);
    exchange.begin();
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.of(request.socket);
    if (connection === undefined) return;
    if (connections.receive(connection, request)) serve(connection, request, response);
    else connections.takeTurn(connection, () => serve(connection, request, response));
  }

  /** Rejects CONNECT, for which node:http creates no response object. The same gate rejects it, because it accepts only POST. */
  function onConnect(request: IncomingMessage, socket: Duplex): void {
    const connection = connections.of(socket);
    if (connection === undefined) return;
    const head = headOf(request);
    try {
      requireWellFormed(head);
      requireKnownHost(head, service.hosts);
      checkRequest(head, service.routes.get(head.target.path), service.draining, limits);
    } catch (thrown) {
      connectionErrors.answer(connection, toRpcError(thrown), requestIdFrom(head.headers.requestId));
    }
  }

  /**
   * Rejects new calls, and calls that have not arrived completely, as UNAVAILABLE. Closes each connection after the response to
   * its last queued request. Waits up to `graceMs` for running calls, and up to `drainMs` for their responses to be sent. Then
   * closes all connections.
   */
  async function drain(graceMs: number): Promise<void> {
    service.drain();
    for (const { exchange } of connections.all()) {
      if (exchange?.request.complete === false) exchange.fail(unavailable());
    }
    await connections.until(({ exchange }) => exchange?.settled !== false, graceMs);
    await connections.until(({ exchange, ending }) => exchange === undefined && !ending, limits.drainMs);
    connections.closeAll();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  const server = createHttpServer(limits, options.tls);
  connections.watch(server, options.tls === undefined ? "connection" : "secureConnection");
  server.on("request", onRequest);
  // Expect: the listener sends "100 Continue" only after the gate. Node would send it, or 417 without a body, before the gate.
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("connect", onConnect);
  server.on("clientError", connectionErrors.onClientError);

  return {
    get connections() {
      return connections.count;
    },
    get callsInFlight() {
      return service.inFlight.calls;
    },
    leave: service.leave,
    get draining() {
      return service.draining;
    },
    handle(request, response) {
      // The caller disconnected before the request was passed on. No later event reports it.
      if (response.destroyed) return;
      serve(connections.addExternal(request, response), request, response);
    },
    async listen(port, host) {
      const address = await listen(server, { port, host, backlog: limits.backlog, reusePort: options.reusePort });
      // From here on, an error means that a connection could not be accepted, for example because file descriptors ran out. The
      // listener keeps running.
      server.on("error", log.notAccepted);
      return address;
    },
    close(graceMs = 10_000) {
      closing ??= drain(graceMs);
      return closing;
    },
  };
}
