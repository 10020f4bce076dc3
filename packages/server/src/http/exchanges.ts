import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { refusalFrom } from "../rpc/failure.js";
import { type Refusal, refuse } from "../rpc/refusal.js";
import type { ConnectionFaults } from "./connection-faults.js";
import type { Cors } from "./cors.js";
import { errorBody } from "./error-body.js";
import { type Answer, type HttpExchange, writeAnswer } from "./http-exchange.js";
import type { Limits } from "./limits.js";
import { readRequestHeaders } from "./request-headers.js";
import { requestIdFrom } from "./request-id.js";
import type { RequestLog } from "./request-log.js";

const jsonHeaders = ["Content-Type", "application/json", "Cache-Control", "no-store"];

export interface ExchangesOptions {
  readonly limits: Limits;
  readonly log: RequestLog;
  readonly cors: Cors;
  readonly faults: ConnectionFaults;
}

/** Keeps the exchanges of a door: each begins once, and ends once, with its one answer and its one line in the log. */
export function createExchanges({ limits, log, cors, faults }: ExchangesOptions) {
  /** Connections that have had their last answer. */
  const ending = new WeakSet<Duplex>();
  let draining = false;
  let running = 0;
  let whenIdle: (() => void) | undefined;

  /** Undefined for what RFC 9112 section 9.6 leaves unanswered, pipelined behind the last answer: it must not be done. */
  function begin(request: IncomingMessage, response: ServerResponse): HttpExchange | undefined {
    if (ending.has(request.socket)) return undefined;
    const headers = readRequestHeaders(request.rawHeaders);
    const exchange: HttpExchange = {
      request,
      response,
      headers,
      requestId: requestIdFrom(headers.requestId),
      startedAt: performance.now(),
      operation: undefined,
      tenantId: undefined,
      settled: false,
      deadline: undefined,
      abort: undefined,
    };
    running += 1;
    faults.begun(exchange, (reason) => fail(exchange, refuse(reason)));
    response.on("close", () => {
      if (exchange.settled) return;
      const refusal = refuse("CANCELED");
      settle(exchange, refusal.httpStatus, refusal);
    });
    return exchange;
  }

  /** Ends the exchange, once: true for the one that may answer. */
  function settle(exchange: HttpExchange, status: number, refusal: Refusal | undefined): boolean {
    if (exchange.settled) return false;
    exchange.settled = true;
    clearTimeout(exchange.deadline);
    if (refusal !== undefined) exchange.abort?.(refusal);
    const { requestId, operation, tenantId, startedAt } = exchange;
    log.ended({
      requestId,
      operation: operation?.operation,
      tenantId,
      status,
      refusal,
      durationMs: performance.now() - startedAt,
    });
    running -= 1;
    if (running === 0) whenIdle?.();
    return true;
  }

  function answer(exchange: HttpExchange, { status, headers, body }: Answer, refusal?: Refusal): void {
    if (!settle(exchange, status, refusal)) return;
    const { requestId, operation } = exchange;
    const common = [...cors.headers(exchange.headers), ...(operation?.deprecationHeaders ?? []).flat()];
    const all = ["X-Request-Id", requestId, ...common, ...headers];
    // What is pipelined behind it is answered too, before the connection is let go of.
    const close = draining && faults.isLatest(exchange);
    const last = writeAnswer(exchange, { status, headers: all, body }, close, limits);
    if (last) ending.add(exchange.request.socket);
  }

  /** The answer of a call that succeeded. */
  function succeed(exchange: HttpExchange, body: string, headers: readonly string[]): void {
    answer(exchange, { status: 200, headers: [...jsonHeaders, ...headers], body });
  }

  /** The answer for whatever was thrown. */
  function fail(exchange: HttpExchange, thrown: unknown): void {
    if (exchange.settled) return;
    const refusal = refusalFrom(thrown);
    if (refusal.reason === "INTERNAL") log.failed(exchange.requestId, thrown);
    else if (refusal.reason === "UNAVAILABLE" && thrown instanceof Error && thrown.cause !== undefined) {
      log.failed(exchange.requestId, thrown.cause);
    }
    try {
      answerRefusal(exchange, refusal);
    } catch (fault) {
      // An implementation gave it a detail that cannot be encoded. Nobody above could answer any more.
      log.failed(exchange.requestId, fault);
      answerRefusal(exchange, refuse("INTERNAL"));
    }
  }

  function answerRefusal(exchange: HttpExchange, refusal: Refusal): void {
    const headers = [...jsonHeaders, ...[...refusal.metadata].flat()];
    const body = errorBody(refusal, exchange.requestId);
    answer(exchange, { status: refusal.httpStatus, headers, body }, refusal);
  }

  /** From now on every answer is the last of its connection. Resolves when no exchange runs, or patience ends. */
  async function drain(graceMs: number): Promise<void> {
    draining = true;
    if (running === 0) return;
    let patience: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      whenIdle = resolve;
      patience = setTimeout(resolve, graceMs);
    });
    clearTimeout(patience);
  }

  return {
    get draining() {
      return draining;
    },
    begin,
    answer,
    succeed,
    fail,
    drain,
  };
}
