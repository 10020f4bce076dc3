import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Connection, Rejection } from "./connection.js";
import type { Connections } from "./connections.js";
import { type RawAnswer, writeRawAnswer } from "./last-response.js";
import type { ConnectionLimits } from "./limits.js";
import { createSpread } from "./portable.js";

/** An error that node:http reports on a connection. */
type ClientError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

/** Returns the reason for an error, or undefined when the connection is lost and no response can be sent. */
function rejectionOf({ code = "" }: ClientError): Rejection | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return "HEADERS_TOO_LARGE";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "REQUEST_TIMEOUT";
  return code.startsWith("HPE_") ? "MALFORMED_HTTP" : undefined;
}

/** What is known of a request to which its listener does not respond itself. Without headers, at most the target is known. */
export type RejectedRequestParts = IncomingMessage | { readonly url: string | undefined };

/** Returns the target of a request whose headers cannot be read, if they are the first in what has arrived. */
function targetIn(packet: Buffer | undefined): string | undefined {
  return /^[A-Z]+ (\S+) HTTP\//.exec(packet?.toString("latin1", 0, 1_000) ?? "")?.[1];
}

export interface ConnectionErrorsOptions {
  readonly limits: ConnectionLimits;
  readonly connections: Connections;
  /** Returns the response to a request that cannot be read, and logs it. */
  readonly rejected: (rejection: Rejection, from: RejectedRequestParts) => RawAnswer;
}

/**
 * Creates the error handler for requests that Node's parser rejects or that do not arrive in time. node:http reports these
 * errors on the connection, not on the request:
 * - If the body of a request is still being read, its own exchange sends the error, so that no request gets two responses.
 * - If the error follows complete requests, it is sent after their responses, and ends the connection.
 */
export function createConnectionErrors({ limits, connections, rejected }: ConnectionErrorsOptions) {
  const faulty = new WeakSet<Duplex>();
  // node:http reports all connections that have timed out in one turn of the event loop.
  const spread = createSpread(25);

  /** Sends a response on the socket, after the responses to all earlier requests, and closes the connection. */
  function answer(connection: Connection, getAnswer: () => RawAnswer): void {
    const { socket } = connection;
    // The connection ends with this response, so later errors on it are not reported.
    socket.on("error", () => socket.destroy());
    connections.takeLastTurn(connection, () => writeRawAnswer(socket, getAnswer(), limits));
  }

  function rejectConnection(connection: Connection, rejection: Rejection, packet?: Buffer): void {
    const { latest, exchange, full } = connection;
    // The latest request has been rejected already. Its error follows the responses to those before it.
    if (full) return;
    if (latest === undefined || latest.complete) {
      const url = exchange === undefined ? targetIn(packet) : undefined;
      answer(connection, () => rejected(rejection, { url }));
    } else if (exchange !== undefined && latest === exchange.request) {
      // The body is still being read. If the exchange has responded already, this does nothing.
      exchange.reject(rejection);
    } else {
      // The request is queued and will never be complete: the error takes its place in the queue.
      connections.dropLast(connection);
      answer(connection, () => rejected(rejection, latest));
    }
  }

  function onClientError(error: ClientError, socket: Duplex): void {
    const rejection = rejectionOf(error);
    const connection = connections.of(socket);
    // A connection that a browser or a proxy has opened in advance: 408 would be taken for the response to its first request.
    const isUnused = rejection === "REQUEST_TIMEOUT" && connection?.socket.bytesRead === 0;
    if (rejection === undefined || connection === undefined || isUnused) {
      socket.destroy();
      return;
    }
    // After an error, the parser reports it again for all data that follows.
    if (faulty.has(socket)) return;
    faulty.add(socket);
    if (rejection !== "REQUEST_TIMEOUT") {
      rejectConnection(connection, rejection, error.rawPacket);
      return;
    }
    // Bytes that arrive before the task runs must not complete the request.
    connection.socket.pause();
    spread(() => {
      connection.socket.resume();
      rejectConnection(connection, rejection);
    });
  }

  return { answer, onClientError };
}
