import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { largestInteger } from "./http-server.js";
import type { ConnectionLimits } from "./limits.js";

export interface ListenAddress {
  readonly port: number;
  readonly host: string;
  readonly backlog: number;
}

/** Starts to listen and returns the address. Port 0 selects a free port. Rejects when the address is not available. */
export function listen(server: Server, at: ListenAddress | BoundSocket): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") reject(new TypeError("not listening on a port"));
      else resolve(address);
    });
    if ("handTo" in at) at.handTo(server);
    else server.listen({ ...at, backlog: Math.min(at.backlog, largestInteger) });
  });
}

/** A socket whose address is known before anything answers at it. */
export interface BoundSocket {
  readonly address: AddressInfo;
  /** Lets a server listen at the socket, and passes it the connections that have come in the meantime. */
  handTo(server: Server): void;
  /** Frees the port, and closes the connections that no server got. Does nothing once a server has closed the socket. */
  close(): Promise<void>;
}

/**
 * Binds a socket. Callers can connect to it at once: they wait until a server answers, or are disconnected if none ever does. Nothing is
 * read from them before. As many as `connections` may wait; later ones are disconnected.
 */
export async function bind({
  connections,
  ...at
}: ListenAddress & Pick<ConnectionLimits, "connections">): Promise<BoundSocket> {
  const waiting = new Set<Socket>();
  // As node:http creates the connections of its servers.
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
    waiting.add(socket);
  });
  server.maxConnections = connections;
  const address = await listen(server, at);
  // A connection that could not be accepted. The others wait.
  server.on("error", () => {});
  return {
    address,
    handTo(other) {
      // From here on, all connections are those of `other`. Before it listens, node:http limits the time of none.
      other.listen(server, Math.min(at.backlog, largestInteger), () => {
        for (const socket of waiting) {
          other.emit("connection", socket);
          socket.resume();
        }
        waiting.clear();
      });
    },
    async close() {
      for (const socket of waiting) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
