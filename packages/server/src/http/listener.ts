import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Connection, createFront, type RawAnswer } from "@platform-rpc/front";
import type { BoundSocket } from "@platform-rpc/front/bound-socket";
import { requireOptions } from "@platform-rpc/options";
import { type RpcError, rpcError } from "../services/rpc-error.js";
import { toRpcError } from "../services/to-rpc-error.js";
import { createSharedDeadlines } from "./deadlines.js";
import { errorBody } from "./error-body.js";
import { checkRequest, requireKnownHost, requireWellFormed } from "./gate.js";
import { createHttpService } from "./http-service.js";
import { errorOf, headOf, NodeExchange } from "./node-exchange.js";
import { listenerRules, requirePlatform } from "./option-rules.js";
import type { GatedRoutes, Listener, ListenerOptions } from "./options.js";
import { ReceivedRequest } from "./received-request.js";
import { requestIdFrom } from "./request-head.js";

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
 * @throws TypeError that names each invalid option and what is expected; or when an operation streams, lacks its options or has another
 * visibility, or when an address in `trustedProxies` is invalid.
 */
export function createListener(platform: GatedRoutes, options: ListenerOptions): Listener {
  return createHostListener(platform, options);
}

/** A listener that can also answer at a socket that was bound before, so that its address was known to what it serves. */
export interface HostListener extends Listener {
  serve(socket: BoundSocket): Promise<AddressInfo>;
}

/** Creates a listener for the private packages: see `createListener`. */
export function createHostListener(platform: GatedRoutes, options: ListenerOptions): HostListener {
  requirePlatform("createListener", platform);
  requireOptions("createListener", options, listenerRules);
  const service = createHttpService(platform, options, createSharedDeadlines());
  const { limits, log } = service;
  const { tls, trustedProxies, unread } = options;
  let closing: Promise<void> | undefined;

  /** Returns the response to a request without an exchange, and logs it. */
  function errorAnswer(error: RpcError, requestId: string): RawAnswer {
    const { httpStatus: status, metadata } = error;
    log.ended({ requestId, operation: undefined, tenantId: undefined, status, error, durationMs: 0, trace: undefined });
    const headers: RawAnswer["headers"] = [
      ["Content-Type", "application/json"],
      ["X-Request-Id", requestId],
      ["Cache-Control", "no-store"],
      ["X-Content-Type-Options", "nosniff"],
      ...metadata,
    ];
    return { status, headers, body: errorBody(error, requestId) };
  }

  /** The same gate rejects CONNECT, because it accepts only POST. */
  function rejectConnect(request: IncomingMessage): RawAnswer {
    const head = headOf(request);
    const requestId = requestIdFrom(head.headers.requestId);
    try {
      requireWellFormed(head);
      requireKnownHost(head, service.hosts);
      checkRequest(head, service.routes.get(head.target.path), service.draining, limits);
      return errorAnswer(rpcError("METHOD_NOT_ALLOWED"), requestId);
    } catch (thrown) {
      return errorAnswer(toRpcError(thrown), requestId);
    }
  }

  const front = createFront({
    limits,
    trustedProxies,
    unread,
    tls,
    classes: { IncomingMessage: ReceivedRequest },
    serve,
    onConnect: rejectConnect,
    rejected: (rejection, from) =>
      errorAnswer(errorOf(rejection), requestIdFrom("headers" in from ? headOf(from).headers.requestId : undefined)),
    notAccepted: log.notAccepted,
  });
  const { connections } = front;

  function serve(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const exchange = new NodeExchange(service, connections, connection, request, response);
    connections.take(connection, exchange);
    exchange.begin();
  }

  /** Rejects new calls as UNAVAILABLE, and closes each connection after the response to its last queued request. */
  async function drain(graceMs: number): Promise<void> {
    service.drain();
    await front.close(graceMs);
  }

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
    listen: (port, host) => front.listen({ port, host }),
    serve: front.listen,
    close(graceMs = 10_000) {
      closing ??= drain(graceMs);
      return closing;
    },
  };
}
