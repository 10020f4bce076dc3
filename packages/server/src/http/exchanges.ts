import type { IncomingMessage, ServerResponse } from "node:http";
import { type RpcError, rpcError } from "../rpc/rpc-error.js";
import { toRpcError, unavailable } from "../rpc/to-rpc-error.js";
import type { Connection, Connections } from "./connections.js";
import type { Cors } from "./cors.js";
import { errorBody } from "./error-body.js";
import { type Answer, type HttpExchange, writeAnswer } from "./http-exchange.js";
import type { InFlight } from "./in-flight.js";
import type { Limits } from "./limits.js";
import { readRequestHeaders } from "./request-headers.js";
import { requestIdFrom } from "./request-id.js";
import type { RequestLog } from "./request-log.js";

const jsonHeaders = ["Content-Type", "application/json", "Cache-Control", "no-store"];

/** How long a refused body is read once the listener stops, in milliseconds: nobody who still sends delays the stop. */
const stoppingDrainMs = 100;

export interface ExchangesOptions {
  readonly limits: Limits;
  readonly log: RequestLog;
  readonly cors: Cors;
  readonly connections: Connections;
  readonly inFlight: InFlight;
}

/** Keeps the exchanges of a listener: each begins once, and ends once, with its one answer and its one line in the log. */
export function createExchanges({ limits, log, cors, connections, inFlight }: ExchangesOptions) {
  let draining = false;

  function begin(connection: Connection, request: IncomingMessage, response: ServerResponse): HttpExchange {
    const headers = readRequestHeaders(request.rawHeaders);
    const startedAt = performance.now();
    const exchange: HttpExchange = {
      connection,
      request,
      response,
      headers,
      requestId: requestIdFrom(headers.requestId),
      startedAt,
      operation: undefined,
      tenantId: undefined,
      settled: false,
      deadline: undefined,
      deadlineAt: Number.POSITIVE_INFINITY,
      progressAt: startedAt,
      place: undefined,
      abort: undefined,
    };
    connection.exchange = exchange;
    return exchange;
  }

  /** Gives a connection free once the answer has left the process. Most have when they are written: no listener is needed. */
  function releaseOnceWritten({ connection, response }: HttpExchange): void {
    // node:http gives the connection to the next response only after this turn: until then nothing of it is written.
    const written = response.socket !== null && response.writableEnded && connection.socket.writableLength === 0;
    if (written && connection.waiting.length === 0) release(connection);
    else response.on("close", onClose);
  }

  /** The answer has left the process: it is the turn of what waits behind it. */
  function onClose(this: ServerResponse): void {
    const connection = connections.of(this.req.socket);
    if (connection?.exchange?.response !== this) return;
    release(connection);
    connections.next(connection);
  }

  /** The connection is closed: its exchange ends, answered or not. */
  function gone(connection: Connection): void {
    const { exchange } = connection;
    if (exchange === undefined) return;
    const error = rpcError("CANCELED");
    settle(exchange, error.httpStatus, error);
    release(connection);
  }

  function release(connection: Connection): void {
    const place = connection.exchange?.place;
    connection.exchange = undefined;
    if (place !== undefined) inFlight.leave(place);
    connections.changed();
  }

  /** Ends the exchange, once: true for the one that may answer. */
  function settle(exchange: HttpExchange, status: number, error: RpcError | undefined): boolean {
    if (exchange.settled) return false;
    exchange.settled = true;
    clearTimeout(exchange.deadline);
    if (error !== undefined) exchange.abort?.(error);
    const { requestId, operation, tenantId, startedAt } = exchange;
    exchange.progressAt = performance.now();
    log.ended({
      requestId,
      operation: operation?.operation,
      tenantId,
      status,
      error,
      durationMs: exchange.progressAt - startedAt,
    });
    connections.changed();
    return true;
  }

  function answer(exchange: HttpExchange, { status, headers, body }: Answer, error?: RpcError): void {
    if (!settle(exchange, status, error)) return;
    const { requestId, operation, connection } = exchange;
    const all = ["X-Request-Id", requestId, "X-Content-Type-Options", "nosniff", ...cors.headers(exchange.headers)];
    if (operation !== undefined) for (const header of operation.deprecationHeaders) all.push(...header);
    all.push(...headers);
    // What waits behind it is answered too, before the connection is let go of.
    const close = draining && connection.waiting.length === 0;
    const bounds = draining ? { ...limits, drainMs: Math.min(limits.drainMs, stoppingDrainMs) } : limits;
    if (writeAnswer(exchange, { status, headers: all, body }, close, bounds)) connection.ending = true;
    releaseOnceWritten(exchange);
  }

  /** The answer of a call that succeeded, unless its time has run out meanwhile. */
  function succeed(exchange: HttpExchange, body: string, headers: readonly string[]): void {
    if (isLate(exchange)) fail(exchange, rpcError("DEADLINE_EXCEEDED"));
    else answer(exchange, { status: 200, headers: [...jsonHeaders, ...headers], body });
  }

  /** The answer for whatever was thrown. */
  function fail(exchange: HttpExchange, thrown: unknown): void {
    if (exchange.settled) return;
    const error = toRpcError(thrown);
    if (error.reason === "INTERNAL") log.failed(exchange.requestId, thrown);
    else if (error.reason === "UNAVAILABLE" && thrown instanceof Error && thrown.cause !== undefined) {
      log.failed(exchange.requestId, thrown.cause);
    }
    try {
      answerError(exchange, isLate(exchange) ? rpcError("DEADLINE_EXCEEDED") : error);
    } catch (unencodable) {
      // An implementation gave it a detail that cannot be encoded. Nobody above could answer any more.
      log.failed(exchange.requestId, unencodable);
      answerError(exchange, rpcError("INTERNAL"));
    }
  }

  function answerError(exchange: HttpExchange, error: RpcError): void {
    const headers = [...jsonHeaders, ...[...error.metadata].flat()];
    const body = errorBody(error, exchange.requestId);
    answer(exchange, { status: error.httpStatus, headers, body }, error);
  }

  /**
   * From now on every answer is the last of its connection. Calls that have not arrived in full are not running: they are
   * UNAVAILABLE. Resolves when no call runs and every answer is out. Waits `graceMs` for the calls, `drainMs` for the answers.
   */
  async function drain(graceMs: number): Promise<void> {
    draining = true;
    for (const { exchange } of connections.all()) {
      if (exchange?.request.complete === false) fail(exchange, unavailable());
    }
    await connections.until(({ exchange }) => exchange?.settled !== false, graceMs);
    await connections.until(({ exchange, ending }) => exchange === undefined && !ending, limits.drainMs);
  }

  return {
    get draining() {
      return draining;
    },
    begin,
    gone,
    answer,
    succeed,
    fail,
    drain,
  };
}

function isLate({ deadlineAt }: HttpExchange): boolean {
  return performance.now() >= deadlineAt;
}
