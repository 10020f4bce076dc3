import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createAddressCount } from "./address-count.js";
import type { Limits } from "./limits.js";
import { createSpread } from "./spread.js";
import { longestTimerMs } from "./timer.js";

/** What a connection needs of the exchange on it. */
export interface ConnectionExchange {
  readonly request: IncomingMessage;
  readonly settled: boolean;
  fail(thrown: unknown): void;
  gone(): void;
  stalledSince(before: number): boolean;
}

/** One connection. It answers one request at a time. */
export interface Connection {
  readonly socket: Socket;
  /** The exchange whose answer is not out yet. */
  readonly exchange: ConnectionExchange | undefined;
  /** The request that was parsed last: the current one, or one that waits. */
  readonly latest: IncomingMessage | undefined;
  /** What waits until the answers before it are out: pipelined requests, and at last perhaps an answer to a parse error. */
  readonly waiting: (() => void)[];
  /** True once the last answer of the connection is decided. Whatever follows is ignored (RFC 9112 section 9.6). */
  readonly ending: boolean;
  /** True for one request on a connection of somebody else's server. */
  readonly lent: boolean;
}

/** Only this module changes a connection. */
interface OwnConnection extends Connection {
  exchange: ConnectionExchange | undefined;
  latest: IncomingMessage | undefined;
  readonly waiting: (() => void)[];
  ending: boolean;
}

/**
 * Keeps the connections of a listener, within their bounds, and lets requests take turns on each.
 *
 * While a request waits, nothing is read from its connection: all that is kept of it is what the parser had read already.
 */
export function createConnections(limits: Limits) {
  /** By socket; one that is lent by its response. */
  const open = new Map<object, OwnConnection>();
  /** Sockets on which TLS may not have begun yet. */
  const accepted = new Set<Socket>();
  const addresses = createAddressCount(limits.connectionsPerAddress);
  const spread = createSpread(50);
  let look: (() => void) | undefined;
  let stallTimer: NodeJS.Timeout | undefined;

  function accept(socket: Socket): void {
    const release = addresses.take(socket.remoteAddress);
    if (release === undefined) {
      socket.destroy();
      return;
    }
    accepted.add(socket);
    socket.on("close", () => {
      accepted.delete(socket);
      release();
    });
  }

  function add(key: Socket | ServerResponse, socket: Socket, lent: boolean): OwnConnection {
    const connection = { socket, exchange: undefined, latest: undefined, waiting: [], ending: false, lent };
    open.set(key, connection);
    key.on("close", () => closed(key));
    return connection;
  }

  function closed(key: Socket | ServerResponse): void {
    const connection = open.get(key);
    if (connection === undefined) return;
    open.delete(key);
    connection.waiting.length = 0;
    connection.exchange?.gone();
    connection.exchange = undefined;
    look?.();
  }

  /** The connection is an own one: `Connection` is how others see it. */
  function own(connection: Connection): OwnConnection {
    return connection;
  }

  /** Runs `turn` once all answers before are out: at once, if none is due. */
  function takeTurn(connection: Connection, turn: () => void): void {
    const { socket, waiting, ending, exchange } = own(connection);
    if (ending) return;
    if (exchange === undefined && waiting.length === 0) {
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

  /** The answer of an exchange is out: whatever waits is next. */
  function release(connection: Connection, exchange: ConnectionExchange): void {
    const current = own(connection);
    const { socket, waiting } = current;
    if (current.exchange !== exchange) return;
    current.exchange = undefined;
    look?.();
    if (current.ending || socket.destroyed) waiting.length = 0;
    const turn = waiting.shift();
    if (turn === undefined) return;
    if (waiting.length === 0) socket.resume();
    turn();
  }

  /** Resolves when something is true of every connection, or patience ends. Looked at again whenever one changes. */
  async function until(isTrue: (connection: Connection) => boolean, patienceMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const patience = setTimeout(resolve, Math.min(patienceMs, longestTimerMs));
      look = () => {
        for (const connection of open.values()) if (!isTrue(connection)) return;
        clearTimeout(patience);
        resolve();
      };
      look();
    });
    look = undefined;
  }

  /** Ends the connections on which an answer makes no progress, from now on. */
  function watchStalled(): void {
    if (stallTimer !== undefined || limits.writeTimeoutMs === Number.POSITIVE_INFINITY) return;
    const endStalled = () => {
      const before = performance.now() - limits.writeTimeoutMs;
      for (const { exchange, socket } of open.values()) {
        if (exchange?.stalledSince(before)) spread(() => socket.destroy());
      }
    };
    stallTimer = setInterval(endStalled, Math.min(1000, limits.writeTimeoutMs)).unref();
  }

  return {
    /** Takes on the connections of a server. */
    watch(server: Server, requestsOn: "connection" | "secureConnection"): void {
      server.maxConnections = limits.connections;
      // Before node:http's own listeners: a connection that is rejected is no longer there for them to read.
      server.prependListener(requestsOn, (socket: Socket) => {
        if (!socket.destroyed) add(socket, socket, false);
      });
      server.prependListener("connection", accept);
      server.once("listening", watchStalled);
    },

    /** Takes on one request of somebody else's server. */
    lend(request: IncomingMessage, response: ServerResponse): Connection {
      watchStalled();
      return add(response, request.socket, true);
    },

    /** The connection of a socket; undefined once it is closed, or when it was rejected. */
    of: (socket: Duplex): Connection | undefined => open.get(socket),
    all: (): Iterable<Connection> => open.values(),

    /** A request was parsed. True: it can be answered now; otherwise it must take a turn. */
    receive(connection: Connection, request: IncomingMessage): boolean {
      own(connection).latest = request;
      return connection.exchange === undefined && connection.waiting.length === 0 && !connection.ending;
    },

    /** An exchange begins: it has the connection until `release`. */
    take(connection: Connection, exchange: ConnectionExchange): void {
      own(connection).exchange = exchange;
    },
    release,
    takeTurn,

    /** Forgets the request that waits last. */
    dropLast(connection: Connection): void {
      own(connection).waiting.pop();
    },

    /** The last answer of the connection is decided. */
    end(connection: Connection): void {
      own(connection).ending = true;
    },
    until,
    /** To be called when an exchange is settled. */
    changed: () => look?.(),

    closeAll(): void {
      clearInterval(stallTimer);
      for (const { socket } of open.values()) socket.destroy();
      for (const socket of accepted) socket.destroy();
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
