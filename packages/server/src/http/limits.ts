import type { Socket } from "node:net";
import { createUnreadResponses as create } from "@platform-rpc/front/unread-responses";
import { publicContract } from "../contract/contract.js";
import type { ContractLimits } from "../contract/limits.js";

/** The limits of a listener. All times are in milliseconds, all sizes in bytes. `Infinity` disables a limit. */
export interface Limits extends ContractLimits {
  /** A larger response is written in pieces of this size, so that a slow reader counts as making progress. */
  readonly pieceBytes: number;
  /** How long a connection may be idle between requests, as callers are told. It is closed 2 s later. Must be finite. */
  readonly keepAliveMs: number;
  /** How much of the body of a rejected request is read, so that the response is not lost. */
  readonly drainBytes: number;
  /** How long the body of a rejected request is read, so that the response is not lost. Must be finite. */
  readonly drainMs: number;
  /**
   * The maximum number of open connections. When it is reached, a new connection takes the place of the one that has been idle longest
   * (at least a second) at the address with the most connections, or there of the newest one that has sent no complete request.
   */
  readonly connections: number;
  /**
   * The maximum number of open connections from one IPv4 address or one IPv6 /64 network. Off by default, because behind a
   * proxy all connections have the address of the proxy.
   */
  readonly connectionsPerAddress: number;
  /** The maximum number of connections that wait to be accepted. On Linux `net.core.somaxconn` can lower it. */
  readonly backlog: number;
  /** The maximum number of admitted calls whose responses have not been sent. Further ones are rejected as UNAVAILABLE. */
  readonly callsInFlight: number;
}

export const defaultLimits: Limits = {
  ...publicContract.limits,
  pieceBytes: 64 * 1024,
  keepAliveMs: 65_000,
  drainBytes: 64 * 1024 * 1024,
  drainMs: 2_000,
  connections: 10_000,
  connectionsPerAddress: Number.POSITIVE_INFINITY,
  backlog: 4096,
  callsInFlight: 1_000,
};

/** The responses that wait in this process until their callers read them, and the bytes that they may have together. */
export interface UnreadResponses {
  /** Counts the bytes of a response that a caller has not read. While there are too many in all, ends the slowest readers. */
  add(socket: Socket, bytes: number): void;
  /** Records that a caller has read some of its response. */
  progressed(socket: Socket): void;
  /** Stops counting the response of a connection. */
  remove(socket: Socket): void;
}

/**
 * Creates the count of unread responses, with a maximum of their bytes in all (default: 256 MiB); `Infinity` disables it. Pass it to all
 * listeners of a process, so that the maximum is one for the process.
 *
 * @example
 * ```ts
 * import { createListener, createUnreadResponses } from "@platform-rpc/server";
 *
 * const unread = createUnreadResponses(64 * 1024 * 1024);
 * const listeners = [createListener(platform, { logger, unread }), createListener(platform, { logger, unread })];
 * console.log(listeners.length);
 * // 2
 * ```
 */
export const createUnreadResponses: (maximum?: number) => UnreadResponses = create;
