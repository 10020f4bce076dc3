import type { Duplex } from "node:stream";
import type { PublicReason } from "../contract/contract.js";
import { type RpcError, rpcError } from "../rpc/rpc-error.js";
import type { Connection, Connections } from "./connections.js";
import type { Limits } from "./limits.js";
import { writeRawAnswer } from "./raw-answer.js";
import { requestIdFrom } from "./request-id.js";
import type { RequestLog } from "./request-log.js";
import { createSpread } from "./spread.js";

/** An error that node:http reports on a connection. */
type ClientError = Error & { readonly code?: string };

/** The reason for an error; undefined when the connection is gone and there is nobody to answer. */
function reasonOf({ code = "" }: ClientError): PublicReason | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "HEADERS_TOO_LARGE";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "REQUEST_TIMEOUT";
  return code.startsWith("HPE_") ? "MALFORMED_HTTP" : undefined;
}

export interface ConnectionErrorsOptions {
  readonly limits: Limits;
  readonly log: RequestLog;
  readonly connections: Connections;
}

/**
 * Answers what Node's parser rejects. node:http reports an error on a connection, not on the request that it belongs to:
 * a request whose body is still being read is answered through its own exchange, so that it never gets two answers; a
 * parse error after complete requests waits for their answers, then gets its own, and ends the connection.
 */
export function createConnectionErrors({ limits, log, connections }: ConnectionErrorsOptions) {
  const faulty = new WeakSet<Duplex>();
  // node:http reports all connections that have timed out in one turn of the event loop.
  const spread = createSpread(25);

  /** Answers on the bare connection, when the answers to all requests before are out, with its line in the log. */
  function answer(connection: Connection, error: RpcError, requestId: string): void {
    const { socket } = connection;
    // From here on nothing that goes wrong on this connection concerns anybody.
    socket.on("error", () => socket.destroy());
    connections.takeTurn(connection, () => {
      connections.end(connection);
      log.ended({
        requestId,
        operation: undefined,
        tenantId: undefined,
        status: error.httpStatus,
        error,
        durationMs: 0,
      });
      writeRawAnswer(socket, error, requestId, limits.drainMs);
    });
  }

  function rejectConnection(connection: Connection, reason: PublicReason): void {
    const { latest, exchange } = connection;
    if (latest === undefined || latest.complete) {
      answer(connection, rpcError(reason), requestIdFrom(undefined));
    } else if (exchange !== undefined && latest === exchange.request) {
      // Its own answer, while its body is being read: when it has one already, that was the one.
      exchange.fail(rpcError(reason));
    } else {
      // It waits, and will never be complete: the error takes its turn.
      connections.dropLast(connection);
      answer(connection, rpcError(reason), requestIdFrom(undefined));
    }
  }

  function onClientError(error: ClientError, socket: Duplex): void {
    const reason = reasonOf(error);
    const connection = connections.of(socket);
    if (reason === undefined || connection === undefined) {
      socket.destroy();
      return;
    }
    // The parser stays broken and reports again with every byte that follows.
    if (faulty.has(socket)) return;
    faulty.add(socket);
    if (reason !== "REQUEST_TIMEOUT") {
      rejectConnection(connection, reason);
      return;
    }
    // What arrives before its turn comes too late.
    connection.socket.pause();
    spread(() => {
      connection.socket.resume();
      rejectConnection(connection, reason);
    });
  }

  return { answer, onClientError };
}
