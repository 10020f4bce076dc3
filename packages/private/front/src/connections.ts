import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Connection, ConnectionExchange } from "./connection.js";
import type { ConnectionLimits } from "./limits.js";
import { createPlaces, type Place, type Trust } from "./places.js";
import { createSpread, longestTimerMs } from "./portable.js";
import { turnTime } from "./turn-time.js";
import { createTurns, type OwnConnection, own } from "./turns.js";
import { createUnreadResponses } from "./unread-responses.js";

/**
 * Tracks the connections of a listener, enforces their limits, and serves the requests of each connection in order.
 *
 * While a request is queued, its connection is not read: only what the parser had already read is kept in memory.
 */
export function createConnections(
  limits: ConnectionLimits,
  trustedProxies: Trust = [],
  unread = createUnreadResponses(),
) {
  /** Connections by their sockets; external ones by their responses. */
  const open = new Map<object, OwnConnection>();
  /** All accepted sockets, also those whose TLS handshake is not complete. */
  const places = createPlaces(limits, trustedProxies);
  /** With TLS: the places of the accepted sockets, whose connections have other sockets. */
  const handshakes = new Map<string, Place>();
  const spread = createSpread(50);
  const turns = createTurns(limits, open, places);
  let recheck: (() => void) | undefined;
  let stallTimer: NodeJS.Timeout | undefined;

  // All connections share these listeners, so that an idle connection retains little memory.
  function releasePlace(this: Socket): void {
    handshakes.delete(endpointOf(this));
    places.release(this);
  }

  function accept(socket: Socket): Place | undefined {
    const place = places.take(socket);
    if (place === undefined) socket.destroy();
    else socket.on("close", releasePlace);
    turnTime.accepted();
    return place;
  }

  function add(key: Socket | ServerResponse, socket: Socket, place: Place | undefined): OwnConnection {
    const external = key !== socket;
    const connection: OwnConnection = {
      socket,
      exchange: undefined,
      latest: undefined,
      waiting: [],
      isNew: true,
      delayed: false,
      full: false,
      ending: false,
      external,
      place,
    };
    open.set(key, connection);
    key.on("close", closed);
    return connection;
  }

  function closed(this: Socket | ServerResponse): void {
    const connection = open.get(this);
    if (connection === undefined) return;
    open.delete(this);
    unread.remove(connection.socket);
    connection.waiting.length = 0;
    connection.exchange?.gone();
    connection.exchange = undefined;
    recheck?.();
  }

  /** Ends the turn of an exchange whose response has been sent, and runs the next queued task. @param at when it was sent */
  function release(connection: Connection, exchange: ConnectionExchange, at = performance.now()): void {
    const current = own(connection);
    const { socket, waiting } = current;
    if (current.exchange !== exchange) return;
    current.exchange = undefined;
    current.isNew = false;
    // An idle connection retains no request. node:http has released it, too.
    if (current.latest?.complete) current.latest = undefined;
    recheck?.();
    if (current.ending || socket.destroyed) waiting.length = 0;
    if (waiting.length > 0) turns.runNext(connection);
    else if (current.place !== undefined) places.use(current.place, undefined, at);
  }

  /** Resolves when `isTrue` returns true for every connection, or after `timeoutMs`. Checks again after each change. */
  async function until(isTrue: (connection: Connection) => boolean, timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, Math.min(timeoutMs, longestTimerMs));
      recheck = () => {
        for (const connection of open.values()) if (!isTrue(connection)) return;
        clearTimeout(timeout);
        resolve();
      };
      recheck();
    });
    recheck = undefined;
  }

  /** Starts the timer that closes connections whose response makes no progress for `writeTimeoutMs`. */
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
    /** Tracks every connection of a server. */
    watch(server: Server, { tls }: { readonly tls: boolean }): void {
      // These listeners run before node:http's own ones, so that they never read a rejected connection.
      server.prependListener("connection", (socket: Socket) => {
        const place = accept(socket);
        if (place === undefined) return;
        if (tls) handshakes.set(endpointOf(socket), place);
        else add(socket, socket, place);
      });
      if (tls) {
        server.prependListener("secureConnection", (socket: Socket) => {
          if (!socket.destroyed) add(socket, socket, handshakes.get(endpointOf(socket)));
        });
      }
      server.once("listening", watchStalled);
    },

    /** Tracks one request that another server has passed to `handle`. */
    addExternal(request: IncomingMessage, response: ServerResponse): Connection {
      watchStalled();
      return add(response, request.socket, undefined);
    },

    /** Returns the connection of a socket, or undefined when it is closed or was rejected. */
    of: (socket: Duplex): Connection | undefined => open.get(socket),
    all: (): Iterable<Connection> => open.values(),
    get count(): number {
      return open.size;
    },

    receive(connection: Connection, request: IncomingMessage): void {
      own(connection).latest = request;
    },

    /** Assigns the connection to an exchange, until `release`. */
    take(connection: Connection, exchange: ConnectionExchange): void {
      const current = own(connection);
      current.exchange = exchange;
      if (current.place !== undefined) places.use(current.place, exchange.request, exchange.startedAt);
    },
    release,
    run: turns.run,
    takeTurn: turns.takeTurn,
    takeLastTurn: turns.takeLastTurn,

    dropLast(connection: Connection): void {
      own(connection).waiting.pop();
    },

    /** Marks the connection as ending: its last response is decided. */
    end(connection: Connection): void {
      own(connection).ending = true;
    },
    until,
    /** The responses of all listeners that share this count. */
    unread,
    /** Makes `until` check again. Call it when an exchange is settled. */
    changed: () => recheck?.(),

    closeAll(): void {
      clearInterval(stallTimer);
      for (const { socket } of open.values()) socket.destroy();
      for (const socket of places.sockets()) socket.destroy();
    },
  };
}

/** Identifies the peer of a connection: a TLS socket and the socket below it have the same. */
function endpointOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

export type Connections = ReturnType<typeof createConnections>;
