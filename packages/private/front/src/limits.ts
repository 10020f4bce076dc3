/** The limits of the connections of a listener. All times are in milliseconds, all sizes in bytes. `Infinity` disables a limit. */
export interface ConnectionLimits {
  /** The maximum size of the request line and headers together. */
  readonly headerBytes: number;
  /** The time in which a complete request, headers and body, must arrive. Must be finite. */
  readonly receiveTimeoutMs: number;
  /** A connection is closed if the operating system, which buffers for its caller, takes nothing of a response for this time. */
  readonly writeTimeoutMs: number;
  /** The maximum number of requests that wait on a connection behind the current one. One more gets an error, and ends the connection. */
  readonly pipelinedRequests: number;
  /** How long a connection may be idle between requests, as callers are told. It is closed 2 s later. Must be finite. */
  readonly keepAliveMs: number;
  /** How much of the rest of a rejected request is read, so that the response is not lost. */
  readonly drainBytes: number;
  /** How long the rest of a rejected request is read, so that the response is not lost. Must be finite. */
  readonly drainMs: number;
  /** The maximum number of open connections. When it is reached, an idle connection makes room for a new one. */
  readonly connections: number;
  /** The maximum number of open connections from one IPv4 address or one IPv6 /64 network. */
  readonly connectionsPerAddress: number;
  /** The maximum number of connections that wait to be accepted. On Linux `net.core.somaxconn` can lower it. */
  readonly backlog: number;
}
