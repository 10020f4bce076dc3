import type { Duplex } from "node:stream";
import { nodeHttp } from "./http-server.js";

/** A response without a response object of node:http. Its headers lack Content-Length, Date and Connection. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/**
 * Writes a response to a socket for which node:http has no response object: after a parse error or a CONNECT. Closes the connection
 * after `timeoutMs` at the latest.
 */
export function writeRawAnswer(socket: Duplex, { status, headers, body }: RawAnswer, timeoutMs: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const head = [
    `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? ""}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  // Discards what the caller still sends: unread bytes would reset the connection before the response arrives.
  socket.resume();
  const timeout = setTimeout(() => socket.destroy(), timeoutMs);
  socket.once("close", () => clearTimeout(timeout));
}
