import type { Duplex } from "node:stream";
import type { PublicReason } from "../rpc/reasons.js";
import { type Refusal, refuse } from "../rpc/refusal.js";
import type { HttpExchange } from "./http-exchange.js";
import type { Limits } from "./limits.js";
import { writeRawAnswer } from "./raw-answer.js";
import { requestIdFrom } from "./request-id.js";
import type { RequestLog } from "./request-log.js";

/** What node:http tells of a fault on a connection. */
type ClientError = Error & { readonly code?: string };

/** A fault as a reason; undefined when the connection is gone and nobody is there to be told. */
function reasonOf({ code = "" }: ClientError): PublicReason | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "HEADERS_TOO_LARGE";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "REQUEST_TIMEOUT";
  return code.startsWith("HPE_") ? "MALFORMED_HTTP" : undefined;
}

interface Latest {
  readonly exchange: HttpExchange;
  readonly fail: (reason: PublicReason) => void;
}

/**
 * Answers what Node's parser refuses. node:http tells of a fault on a connection, not of the request that it belongs to:
 * a request whose body is still being read is answered through its own exchange, so that it never gets two answers; a
 * fault after complete requests waits for their answers, then gets its own, and ends the connection.
 */
export function createConnectionFaults(limits: Limits, log: RequestLog) {
  const latest = new WeakMap<Duplex, Latest>();
  const faulty = new WeakSet<Duplex>();

  function begun(exchange: HttpExchange, fail: (reason: PublicReason) => void): void {
    latest.set(exchange.request.socket, { exchange, fail });
  }

  /** Answers on the bare connection, when the answers to all requests before are out, with its line in the log. */
  function answer(socket: Duplex, refusal: Refusal, requestId: string): void {
    // From here on nothing that goes wrong on this connection concerns anybody.
    socket.on("error", () => socket.destroy());
    const write = () => {
      log.ended({
        requestId,
        operation: undefined,
        tenantId: undefined,
        status: refusal.httpStatus,
        refusal,
        durationMs: 0,
      });
      writeRawAnswer(socket, refusal, requestId, limits.drainMs);
    };
    const before = latest.get(socket)?.exchange.response;
    if (before === undefined || before.writableFinished) write();
    else before.once("finish", write);
  }

  function onClientError(error: ClientError, socket: Duplex): void {
    const reason = reasonOf(error);
    if (reason === undefined) {
      socket.destroy();
      return;
    }
    // The parser stays broken and reports again with every byte that follows.
    if (faulty.has(socket)) return;
    faulty.add(socket);
    const last = latest.get(socket);
    // Its own answer, while its body is being read: when it has one already, that was the one.
    if (last !== undefined && !last.exchange.request.complete) last.fail(reason);
    else answer(socket, refuse(reason), requestIdFrom(undefined));
  }

  /** Whether nothing has been pipelined behind an exchange so far. */
  const isLatest = (exchange: HttpExchange): boolean => latest.get(exchange.request.socket)?.exchange === exchange;

  return { begun, answer, onClientError, isLatest };
}

export type ConnectionFaults = ReturnType<typeof createConnectionFaults>;
