import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createAddressCount } from "./address-count.js";
import type { HttpExchange } from "./http-exchange.js";
import type { Limits } from "./limits.js";
import { createSpread } from "./spread.js";

/** One connection. It answers one request at a time. */
export interface Connection {
  readonly socket: Socket;
  /** The exchange whose answer is not out yet. */
  exchange: HttpExchange | undefined;
  /** The request that was parsed last: the current one, or one that waits. */
  latest: IncomingMessage | undefined;
  /** What waits until the answers before it are out: pipelined requests, and at last perhaps an answer to a fault. */
  readonly waiting: (() => void)[];
  /** True once the last answer of the connection is decided. Whatever follows is ignored (RFC 9112 section 9.6). */
  ending: boolean;
}

/**
 * Keeps the connections of a listener, within their bounds, and lets requests take turns on each.
 *
 * While a request waits, nothing is read from its connection: all that is kept of it is what the parser had read already.
 *
 * @param onGone called once a connection is closed.
 */
export function createConnections(limits: Limits, onGone: (connection: Connection) => void) {
  const open = new Map<Duplex, Connection>();
  const addresses = createAddressCount(limits.connectionsPerAddress);
  const spread = createSpread(50);
  let look: (() => void) | undefined;

  function accept(socket: Socket): void {
    const release = addresses.take(socket.remoteAddress);
    if (release === undefined) {
      socket.destroy();
      return;
    }
    const connection: Connection = { socket, exchange: undefined, latest: undefined, waiting: [], ending: false };
    open.set(socket, connection);
    socket.on("close", () => {
      open.delete(socket);
      release();
      connection.waiting.length = 0;
      onGone(connection);
      look?.();
    });
  }

  /** Does something once all answers before are out: at once, if none is due. */
  function takeTurn(connection: Connection, turn: () => void): void {
    const { socket, waiting } = connection;
    if (connection.ending) return;
    if (connection.exchange === undefined && waiting.length === 0) {
      turn();
      return;
    }
    if (waiting.length >= limits.pipelinedRequests) {
      // What else the parser has read of this connection cannot be given back: only the connection can be let go of.
      socket.destroy();
      return;
    }
    // node:http resumes a connection after each request that it has parsed, and for each body that is read.
    if (socket.listenerCount("resume", pauseWhileWaiting) === 0) socket.on("resume", pauseWhileWaiting);
    waiting.push(turn);
    socket.pause();
  }

  function pauseWhileWaiting(this: Socket): void {
    if ((open.get(this)?.waiting.length ?? 0) > 0) this.pause();
  }

  /** Tells that the answer of the current exchange is out: whatever waits is next. */
  function next(connection: Connection): void {
    const { socket, waiting } = connection;
    if (connection.ending || socket.destroyed) waiting.length = 0;
    const turn = waiting.shift();
    if (turn === undefined) return;
    if (waiting.length === 0) socket.resume();
    turn();
  }

  /** Resolves when something is true of every connection, or patience ends. Looked at again whenever one changes. */
  async function until(isTrue: (connection: Connection) => boolean, patienceMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const patience = setTimeout(resolve, patienceMs);
      look = () => {
        for (const connection of open.values()) if (!isTrue(connection)) return;
        clearTimeout(patience);
        resolve();
      };
      look();
    });
    look = undefined;
  }

  /** Ends the connections on which an answer makes no progress. */
  function endStalled(): void {
    const before = performance.now() - limits.writeTimeoutMs;
    for (const { exchange, socket } of open.values()) {
      if (exchange?.settled === true && exchange.progressAt < before) spread(() => socket.destroy());
    }
  }

  /** Takes on the connections of a server, for as long as it listens. */
  function watch(server: Server): void {
    server.maxConnections = limits.connections;
    // Before node:http's own listener: a connection that is refused is no longer there for it to read.
    server.prependListener("connection", accept);
    if (limits.writeTimeoutMs === Number.POSITIVE_INFINITY) return;
    server.once("listening", () => {
      const timer = setInterval(endStalled, Math.min(1000, limits.writeTimeoutMs));
      timer.unref();
      server.once("close", () => clearInterval(timer));
    });
  }

  return {
    watch,
    takeTurn,
    next,
    /** The connection of a socket; undefined once it is closed, or when it was refused. */
    of: (socket: Duplex): Connection | undefined => open.get(socket),
    all: (): Iterable<Connection> => open.values(),
    until,
    /** To be called when an exchange is settled or its answer is out. */
    changed: () => look?.(),
    closeAll(): void {
      for (const { socket } of open.values()) socket.destroy();
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
