import type { IncomingMessage, ServerResponse } from "node:http";
import type { Connection, ConnectionExchange, Rejection } from "./connection.js";
import type { Connections } from "./connections.js";
import { closeWritingSideAtEnd, type RawAnswer, writeRawAnswer } from "./last-response.js";
import type { ConnectionLimits } from "./limits.js";

/** Why the listener itself responds to a request. INTERNAL: the handler failed before it responded. */
export type HandlerRejection = Rejection | "ENCODING_UNSUPPORTED" | "METHOD_NOT_ALLOWED" | "INTERNAL";

interface ExchangeOptions {
  readonly rejected: (reason: HandlerRejection, url: string | undefined) => RawAnswer;
  readonly limits: Pick<ConnectionLimits, "drainBytes" | "drainMs">;
}

export type Exchange = ReturnType<typeof createExchange>;

/** Creates the exchange of a request whose response a handler writes. It takes the connection's turn until the request is read. */
export function createExchange(
  connections: Connections,
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  { rejected, limits }: ExchangeOptions,
) {
  const { socket } = connection;
  let isRejected = false;
  let sentBytes = 0;
  const startedAt = performance.now();
  let sentAt = startedAt;

  const exchange = {
    request,
    startedAt,
    get settled() {
      return isRejected || response.headersSent;
    },
    reject(reason: HandlerRejection): void {
      if (exchange.settled) return;
      isRejected = true;
      connections.end(connection);
      writeRawAnswer(socket, rejected(reason, request.url), limits);
    },
    gone() {},
    /** Counts what the operating system has not taken of the response. A handler may write it at any time. */
    countUnread(): void {
      const bytes = socket.writableLength;
      if (bytes > 0 && !socket.destroyed) connections.unread.add(socket, bytes);
    },
    stalledSince(before: number): boolean {
      exchange.countUnread();
      const waitingBytes = socket.writableLength;
      const now = socket.bytesWritten - waitingBytes;
      if (waitingBytes > 0 && now === sentBytes) return sentAt < before;
      sentBytes = now;
      sentAt = performance.now();
      return false;
    },
  } satisfies ConnectionExchange & { countUnread(): void };

  // Before node:http closes both sides of the connection, if the response has "Connection: close".
  response.prependListener("finish", () => {
    if (!request.complete) closeWritingSideAtEnd(socket, limits);
  });
  response.on("close", () => {
    connections.unread.remove(socket);
    const release = () => connections.release(connection, exchange);
    if (request.complete || socket.destroyed) {
      release();
      return;
    }
    // Node reads and discards the rest of the body. Closing at once would reset the connection, and the response would be lost.
    const timeout = setTimeout(() => socket.destroy(), limits.drainMs);
    let left = limits.drainBytes;
    const count = ({ length }: Buffer) => {
      left -= length;
      // The bytes may also contain the next request.
      if (left < 0 && !request.complete) socket.destroy();
    };
    socket.on("data", count);
    request.once("close", () => {
      clearTimeout(timeout);
      socket.off("data", count);
      release();
    });
  });
  return exchange;
}
