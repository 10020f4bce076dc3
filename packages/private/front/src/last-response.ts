import type { Socket } from "node:net";
import { nodeHttp } from "./http-server.js";
import type { ConnectionLimits } from "./limits.js";

type DrainLimits = Pick<ConnectionLimits, "drainBytes" | "drainMs">;

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
export function writeRawAnswer(socket: Socket, { status, headers, body }: RawAnswer, limits: DrainLimits): void {
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

/**
 * Prepares a connection for its last response while its caller is still sending: once the response is written, only our side of the
 * connection is closed. What still arrives is read and discarded, up to the limits. Closing both sides would reset the connection, and
 * the response would be lost.
 */
export function closeWritingSide(socket: Socket, { drainBytes, drainMs }: DrainLimits): void {
  // node:http closes both sides, with this method, after a response with "Connection: close".
  socket.destroySoon = () => socket.end();
  let left = drainBytes;
  socket.on("data", ({ length }: Buffer) => {
    left -= length;
    if (left < 0) socket.destroy();
  });
  socket.resume();
  const timeout = setTimeout(() => socket.destroy(), drainMs);
  socket.once("close", () => clearTimeout(timeout));
}

/** Does the same if node:http is going to close the connection after a response. */
export function closeWritingSideAtEnd(socket: Socket, limits: DrainLimits): void {
  socket.destroySoon = () => {
    closeWritingSide(socket, limits);
    socket.end();
  };
}
