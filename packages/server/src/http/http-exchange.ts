import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation } from "../contract/operation.js";
import type { RpcError } from "../rpc/rpc-error.js";
import type { Connection } from "./connections.js";
import type { Place } from "./in-flight.js";
import type { Limits } from "./limits.js";
import { announcesBody, type RequestHeaders } from "./request-headers.js";

/** One request and its one answer. */
export interface HttpExchange {
  readonly connection: Connection;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: RequestHeaders;
  readonly requestId: string;
  /** By the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  /** Known once the route is. */
  operation: Operation | undefined;
  /** Known once the caller is. */
  tenantId: string | undefined;
  /** True once the answer is decided, or nobody is there to receive it. Whoever sets it is the only one who answers. */
  settled: boolean;
  deadline: NodeJS.Timeout | undefined;
  /** By the monotonic clock: no answer but DEADLINE_EXCEEDED is sent from then on. */
  deadlineAt: number;
  /** When some of the answer was written last, by the monotonic clock. */
  progressAt: number;
  /** The place that the call has among those in flight. */
  place: Place | undefined;
  /** Aborts the signal of the handler, if it has asked for one. */
  abort: ((reason: RpcError) => void) | undefined;
}

/** An answer: headers as a flat list of names and values, which is how node:http writes them fastest. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

/**
 * Writes the one answer of an exchange that has just been settled, and adds the headers of the message to its list.
 *
 * When the request's body has not arrived in full, some of it is read first and thrown away: closing at once would reset
 * the connection, and the answer would be lost on its way. Then the connection is closed.
 *
 * @returns whether this is the last answer on its connection.
 */
export function writeAnswer(
  exchange: HttpExchange,
  { status, headers, body }: Answer & { readonly headers: string[] },
  close: boolean,
  limits: Pick<Limits, "drainBytes" | "drainMs" | "pieceBytes">,
): boolean {
  const { request, response } = exchange;
  const unread = announcesBody(exchange.headers) && !request.complete;
  const size = Buffer.byteLength(body);
  // As many bytes as characters is ASCII, which goes out faster when nobody looks for anything else in it.
  const encoding = size === body.length ? "latin1" : "utf8";
  // RFC 9110 section 8.6: a 204 has none, and a 304 would have that of the 200.
  if (status !== 204 && status !== 304) headers.push("Content-Length", String(size));
  const last = unread || close;
  if (last) headers.push("Connection", "close");
  response.writeHead(status, headers);
  if (!unread && (size <= limits.pieceBytes || request.method === "HEAD")) {
    response.end(body, encoding);
    return last;
  }
  writePieces(exchange, typeof body === "string" ? Buffer.from(body, encoding) : body, limits.pieceBytes, () => {
    if (unread) drainBody(request, limits, () => response.end());
    else response.end();
  });
  return last;
}

/** Writes an answer piece by piece, each once the one before has left the process: that is the progress that counts. */
function writePieces(exchange: HttpExchange, bytes: Uint8Array, pieceBytes: number, done: () => void): void {
  let at = 0;
  const next = (error?: Error | null) => {
    // The connection is gone.
    if (error) return;
    exchange.progressAt = performance.now();
    if (at >= bytes.length) {
      done();
      return;
    }
    const piece = bytes.subarray(at, at + pieceBytes);
    at += piece.length;
    exchange.response.write(piece, next);
  };
  next();
}

/** Reads what is left of a body and throws it away, until it ends, is too much, or takes too long. */
function drainBody(request: IncomingMessage, limits: Pick<Limits, "drainBytes" | "drainMs">, done: () => void): void {
  let left = limits.drainBytes;
  const finish = () => {
    clearTimeout(patience);
    request.off("data", count).off("end", finish).off("close", finish);
    done();
  };
  const count = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) finish();
  };
  const patience = setTimeout(finish, limits.drainMs);
  request.on("data", count).on("end", finish).on("close", finish);
}
