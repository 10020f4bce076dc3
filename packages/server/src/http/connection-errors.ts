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

/** Returns the reason for an error, or undefined when the connection is lost and no response can be sent. */
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
 * Creates the error handler for requests that Node's parser rejects or that do not arrive in time. node:http reports these
 * errors on the connection, not on the request:
 * - If the body of a request is still being read, its own exchange sends the error, so that no request gets two responses.
 * - If the error follows complete requests, it is sent after their responses, and ends the connection.
 */
export function createConnectionErrors({ limits, log, connections }: ConnectionErrorsOptions) {
  const faulty = new WeakSet<Duplex>();
  // node:http reports all connections that have timed out in one turn of the event loop.
  const spread = createSpread(25);

  /** Logs the error and sends it on the socket, after the responses to all earlier requests. */
  function answer(connection: Connection, error: RpcError, requestId: string): void {
    const { socket } = connection;
    // The connection ends with this response, so later errors on it are not reported.
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
        trace: undefined,
      });
      writeRawAnswer(socket, error, requestId, limits.drainMs);
    });
  }

  function rejectConnection(connection: Connection, reason: PublicReason): void {
    const { latest, exchange } = connection;
    if (latest === undefined || latest.complete) {
      answer(connection, rpcError(reason), requestIdFrom(undefined));
    } else if (exchange !== undefined && latest === exchange.request) {
      // The body is still being read. If the exchange has responded already, this does nothing.
      exchange.fail(rpcError(reason));
    } else {
      // The request is queued and will never be complete: the error takes its place in the queue.
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
    // After an error, the parser reports it again for all data that follows.
    if (faulty.has(socket)) return;
    faulty.add(socket);
    if (reason !== "REQUEST_TIMEOUT") {
      rejectConnection(connection, reason);
      return;
    }
    // Bytes that arrive before the task runs must not complete the request.
    connection.socket.pause();
    spread(() => {
      connection.socket.resume();
      rejectConnection(connection, reason);
    });
  }

  return { answer, onClientError };
}
