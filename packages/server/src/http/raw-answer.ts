import type { Duplex } from "node:stream";
import type { RpcError } from "../rpc/rpc-error.js";
import { errorBody } from "./error-body.js";
import { nodeHttp } from "./node-http.js";

/**
 * Writes an error response to a socket for which node:http has no response object: after a parse error or a CONNECT. Closes
 * the connection after `timeoutMs` at the latest.
 */
export function writeRawAnswer(socket: Duplex, error: RpcError, requestId: string, timeoutMs: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = errorBody(error, requestId);
  const head = [
    `HTTP/1.1 ${error.httpStatus} ${nodeHttp.STATUS_CODES[error.httpStatus] ?? ""}`,
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
  // Discards what the caller still sends: unread bytes would reset the connection before the response arrives.
  socket.resume();
  const timeout = setTimeout(() => socket.destroy(), timeoutMs);
  socket.once("close", () => clearTimeout(timeout));
}
