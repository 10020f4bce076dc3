import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { RpcError } from "../rpc/rpc-error.js";
import { errorBody } from "./error-body.js";

/**
 * Answers on a bare connection, where node:http made no response: the request was not well-formed, or it was a CONNECT.
 * The connection is closed once the answer had time to arrive.
 */
export function writeRawAnswer(socket: Duplex, error: RpcError, requestId: string, patienceMs: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(error, requestId);
  const head = [
    `HTTP/1.1 ${error.httpStatus} ${STATUS_CODES[error.httpStatus] ?? ""}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    ...[...error.metadata].map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date().toUTCString()}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  // What the caller still sends is read and thrown away: unread bytes would reset the connection under the answer.
  socket.resume();
  const patience = setTimeout(() => socket.destroy(), patienceMs);
  socket.once("close", () => clearTimeout(patience));
}
