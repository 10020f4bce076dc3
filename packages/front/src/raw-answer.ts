import type { Socket } from "node:net";
import { closeWritingSide } from "./close-writing-side.js";
import { nodeHttp } from "./http-server.js";
import type { ConnectionLimits } from "./limits.js";

/** A response without a response object of node:http. Its headers lack Content-Length, Date and Connection. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/**
 * Writes a response to a socket for which node:http has no response object: after a parse error or a CONNECT. It is the last one of
 * the connection, which is closed after `drainMs` at the latest.
 */
export function writeRawAnswer(
  socket: Socket,
  { status, headers, body }: RawAnswer,
  limits: Pick<ConnectionLimits, "drainBytes" | "drainMs">,
): void {
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
  closeWritingSide(socket, limits);
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
