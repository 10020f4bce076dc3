import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation } from "../rpc/operation.js";
import type { Refusal } from "../rpc/refusal.js";
import type { Limits } from "./limits.js";
import { announcesBody, type RequestHeaders } from "./request-headers.js";

/** One request and its one answer. */
export interface HttpExchange {
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
  /** Aborts the signal of the handler, if it has asked for one. */
  abort: ((reason: Refusal) => void) | undefined;
}

/** An answer: headers as a flat list of names and values, which is how node:http writes them fastest. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

/**
 * Writes the one answer of an exchange that has just been settled.
 *
 * When the request's body has not arrived in full, some of it is read first and thrown away: closing at once would reset
 * the connection, and the answer would be lost on its way. Then the connection is closed.
 *
 * @returns whether this is the last answer on its connection.
 */
export function writeAnswer(
  exchange: HttpExchange,
  { status, headers, body }: Answer,
  close: boolean,
  limits: Limits,
): boolean {
  const { request, response } = exchange;
  const unread = announcesBody(exchange.headers) && !request.complete;
  const size = Buffer.byteLength(body);
  // As many bytes as characters is ASCII, which goes out faster when nobody looks for anything else in it.
  const encoding = size === body.length ? "latin1" : "utf8";
  // RFC 9110 section 8.6: a 204 has none.
  const list = status === 204 ? [...headers] : [...headers, "Content-Length", String(size)];
  const last = unread || close;
  if (last) list.push("Connection", "close");
  response.writeHead(status, list);
  if (!unread) {
    response.end(body, encoding);
    return last;
  }
  response.write(body, encoding);
  let left = limits.drainBytes;
  const finish = () => {
    clearTimeout(patience);
    request.off("data", count).off("end", finish).off("close", finish);
    response.end();
  };
  const count = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) finish();
  };
  const patience = setTimeout(finish, limits.drainMs);
  request.on("data", count).on("end", finish).on("close", finish);
  return last;
}
