import type { Socket } from "node:net";
import type { ConnectionLimits } from "./limits.js";

type DrainLimits = Pick<ConnectionLimits, "drainBytes" | "drainMs">;

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
