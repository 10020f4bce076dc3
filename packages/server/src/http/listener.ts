import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { Visibility } from "@platform-rpc/types";
import type { TokenClaims } from "../domain/access.js";
import { collectRoutes, type Route } from "../rpc/routes.js";
import { rpcError } from "../rpc/rpc-error.js";
import { toRpcError } from "../rpc/to-rpc-error.js";
import { createConnectionErrors } from "./connection-errors.js";
import { createConnections } from "./connections.js";
import { createCors } from "./cors.js";
import { createDocumentReader } from "./documents.js";
import { createExchanges } from "./exchanges.js";
import { checkAnnouncedBody, checkRequest, type RequestHead, requireKnownHost, requireWellFormed } from "./gate.js";
import type { HttpExchange } from "./http-exchange.js";
import { createHttpServer, listen } from "./http-server.js";
import { createInFlight } from "./in-flight.js";
import { defaultLimits } from "./limits.js";
import type { GatedRoutes, Listener, ListenerOptions } from "./listener-options.js";
import { readBody } from "./read-body.js";
import { readRequestHeaders } from "./request-headers.js";
import { requestIdFrom } from "./request-id.js";
import { createRequestLog } from "./request-log.js";
import { serveCall } from "./serve-call.js";
import { createSpread } from "./spread.js";
import { parseTarget } from "./target.js";

/**
 * The strict unary handler of the platform, straight on node:http: the gate before the body is read, a deadline that holds
 * also when a handler ignores its signal, and the Error body on every failure, those that Node itself would answer
 * included.
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
 * @throws TypeError when an operation lacks its options, or is not of the listener's visibility.
 */
export function createListener(platform: GatedRoutes, options: ListenerOptions): Listener {
  const { admit } = platform;
  const { logger, visibility = Visibility.PUBLIC, basePath = "", documents = new Map() } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const routes = prefixed(collectRoutes(platform.routes), basePath);
  for (const { operation } of routes.values()) {
    if (operation.visibility !== visibility) {
      throw new TypeError(`${operation.operation} is not of the visibility that this listener serves`);
    }
  }
  // At the root too: health is asked of the listener itself, past any proxy that knows of the prefix.
  const pages = new Map([...documents, ...prefixed(documents, basePath)]);
  const hosts = options.hosts && new Set(options.hosts.map((host) => host.toLowerCase()));
  const readDocument = createDocumentReader();
  const cors = createCors(options.corsOrigins ?? []);
  const log = createRequestLog(logger);
  const inFlight = createInFlight(limits);
  const connections = createConnections(limits, (connection) => exchanges.gone(connection));
  const exchanges = createExchanges({ limits, log, cors, connections, inFlight });
  const connectionErrors = createConnectionErrors({
    limits,
    log,
    connections,
    failCurrent({ exchange }, reason) {
      if (exchange !== undefined) exchanges.fail(exchange, rpcError(reason));
    },
  });
  // The deadlines of calls that arrived together pass together.
  const spread = createSpread(25);
  let closing: Promise<void> | undefined;

  function proceed(exchange: HttpExchange, route: Route, claims: TokenClaims): void {
    exchange.tenantId = claims.tenantId;
    exchange.place = inFlight.enter(claims);
    checkAnnouncedBody(exchange.headers, limits);
    // RFC 9110 section 10.1.1: HTTP/1.0 has no interim answers.
    if (exchange.headers.expect !== undefined && exchange.request.httpVersion !== "1.0") {
      exchange.response.writeContinue();
    }
    readBody(
      exchange.request,
      limits.bodyBytes,
      (text) => {
        serveCall(exchange, route, claims, text).then(
          ({ body, headers }) => exchanges.succeed(exchange, body, headers),
          (thrown) => exchanges.fail(exchange, thrown),
        );
      },
      (thrown) => exchanges.fail(exchange, thrown),
    );
  }

  function admitCall(exchange: HttpExchange, head: RequestHead): void {
    const { route, timeoutMs } = checkRequest(head, routes, exchanges.draining, limits);
    exchange.deadlineAt = exchange.startedAt + timeoutMs;
    exchange.deadline = setTimeout(
      () => spread(() => exchanges.fail(exchange, rpcError("DEADLINE_EXCEEDED"))),
      timeoutMs,
    );
    const claims = admit(exchange.headers.authorization, route.operation);
    if (claims instanceof Promise) {
      claims
        .then((known) => {
          if (!exchange.settled) proceed(exchange, route, known);
        })
        .catch((thrown) => exchanges.fail(exchange, thrown));
    } else proceed(exchange, route, claims);
  }

  function serve(exchange: HttpExchange): void {
    try {
      const head = headOf(exchange.request, exchange.headers);
      requireWellFormed(head);
      requireKnownHost(head, hosts);
      const page = pages.get(head.target.path);
      exchange.operation = routes.get(head.target.path)?.operation;
      const beside =
        page === undefined
          ? cors.preflight(head.verb, exchange)
          : readDocument(page, { verb: head.verb, headers: exchange.request.headers });
      if (beside === undefined) admitCall(exchange, head);
      else exchanges.answer(exchange, beside);
    } catch (thrown) {
      exchanges.fail(exchange, thrown);
    }
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.of(request.socket);
    if (connection === undefined) return;
    connection.latest = request;
    if (connection.exchange === undefined && connection.waiting.length === 0 && !connection.ending) {
      serve(exchanges.begin(connection, request, response));
    } else connections.takeTurn(connection, () => serve(exchanges.begin(connection, request, response)));
  }

  /** A CONNECT has no response object: it passes the same gate, which has no route for it, on the bare connection. */
  function onConnect(request: IncomingMessage, socket: Duplex): void {
    const headers = readRequestHeaders(request.rawHeaders);
    const connection = connections.of(socket);
    if (connection === undefined) return;
    try {
      const head = headOf(request, headers);
      requireWellFormed(head);
      requireKnownHost(head, hosts);
      checkRequest(head, routes, exchanges.draining, limits);
    } catch (thrown) {
      connectionErrors.answer(connection, toRpcError(thrown), requestIdFrom(headers.requestId));
    }
  }

  async function drain(graceMs: number): Promise<void> {
    await exchanges.drain(graceMs);
    connections.closeAll();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  const server = createHttpServer(limits);
  connections.watch(server);
  server.on("request", onRequest);
  // Expect: the listener says "100 Continue" only after the gate; Node would say it, or 417 without a body, before.
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("connect", onConnect);
  server.on("clientError", connectionErrors.onClientError);

  return {
    get draining() {
      return exchanges.draining;
    },
    async listen(port, host) {
      const address = await listen(server, port, host, limits.backlog);
      // Connections that could not be accepted, as for want of file descriptors: the listener goes on.
      server.on("error", log.notAccepted);
      return address;
    },
    close(graceMs = 10_000) {
      closing ??= drain(graceMs);
      return closing;
    },
  };
}

function headOf(request: IncomingMessage, headers: RequestHead["headers"]): RequestHead {
  return {
    httpVersion: request.httpVersion,
    verb: request.method ?? "",
    target: parseTarget(request.url ?? ""),
    headers,
  };
}

function prefixed<Value>(map: ReadonlyMap<string, Value>, basePath: string): ReadonlyMap<string, Value> {
  return new Map([...map].map(([path, value]) => [basePath + path, value]));
}
