import { publicContract } from "../contract/contract.js";

/** The limits of a listener. All times are milliseconds, all sizes bytes. `Infinity` switches a limit off. */
export interface Limits {
  /** The largest body. */
  readonly bodyBytes: number;
  /** The largest request line and headers, together. */
  readonly headerBytes: number;
  /** The time for a call that names none in Connect-Timeout-Ms. */
  readonly defaultTimeoutMs: number;
  /** The longest time for a call: longer ones are clamped, not rejected. */
  readonly longestTimeoutMs: number;
  /** The time in which a request must have been sent, headers and body. Must be finite. */
  readonly receiveTimeoutMs: number;
  /** The time after which a connection is ended whose caller reads nothing of an answer. */
  readonly writeTimeoutMs: number;
  /** Answers larger than this are written in pieces of this size, so that reading them slowly counts as progress. */
  readonly pieceBytes: number;
  /** How long a connection may idle between requests. Must be finite. */
  readonly keepAliveMs: number;
  /** How much of a rejected body is read so that the answer arrives. */
  readonly drainBytes: number;
  /** How long a rejected body is read so that the answer arrives. Must be finite. */
  readonly drainMs: number;
  /** The most connections at a time. Further ones are closed as soon as they are accepted. */
  readonly connections: number;
  /**
   * The most connections at a time of one IPv4 address, or of one IPv6 network of 64 bits. Off by default: behind a proxy, all
   * connections have the address of the proxy.
   */
  readonly connectionsPerAddress: number;
  /** The most connections that wait to be accepted. The system may have a lower limit: on Linux, `net.core.somaxconn`. */
  readonly backlog: number;
  /** The most requests that wait on a connection behind the one that is being answered. One more ends the connection. */
  readonly pipelinedRequests: number;
  /** The most admitted calls whose answers are not out yet. Further ones are UNAVAILABLE. */
  readonly callsInFlight: number;
  /** The same, for one principal. Further ones are RATE_LIMITED. */
  readonly callsInFlightPerPrincipal: number;
}

/** What a listener holds to where its options say nothing else. */
export const defaultLimits: Limits = {
  ...publicContract.limits,
  pieceBytes: 64 * 1024,
  keepAliveMs: 65_000,
  drainBytes: 1024 * 1024,
  drainMs: 2_000,
  connections: 10_000,
  connectionsPerAddress: Number.POSITIVE_INFINITY,
  backlog: 4096,
  callsInFlight: 1_000,
};
