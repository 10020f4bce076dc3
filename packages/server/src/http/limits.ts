import { publicContract } from "../contract/contract.js";
import type { ContractLimits } from "../contract/limits.js";

export { createUnreadResponses, type UnreadResponses } from "@platform-rpc/front/unread-responses";

/** The limits of a listener. All times are in milliseconds, all sizes in bytes. `Infinity` disables a limit. */
export interface Limits extends ContractLimits {
  /** A larger response is written in pieces of this size, so that a slow reader counts as making progress. */
  readonly pieceBytes: number;
  /** How long a connection may be idle between requests. Must be finite. */
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

/** The default of each limit. */
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
