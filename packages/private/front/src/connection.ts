import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Place } from "./places.js";

/** Why a request is rejected before it is complete, or before its turn (RATE_LIMITED). */
export type Rejection = "MALFORMED_HTTP" | "HEADERS_TOO_LARGE" | "REQUEST_TIMEOUT" | "RATE_LIMITED" | "UNAVAILABLE";

/** One request and its response, as its connection sees it. */
export interface ConnectionExchange {
  readonly request: IncomingMessage;
  /** When the request arrived, by the monotonic clock. */
  readonly startedAt: number;
  /** True once the response is decided. */
  readonly settled: boolean;
  /** Responds with an error, unless the exchange is settled. */
  reject(rejection: Rejection): void;
  /** Called when the caller has disconnected. */
  gone(): void;
  /** Returns true if the response is being sent and has made no progress since `before`, by the monotonic clock. */
  stalledSince(before: number): boolean;
}

/** One connection. It serves one request at a time. */
export interface Connection {
  readonly socket: Socket;
  /** The exchange whose response has not been sent completely. */
  readonly exchange: ConnectionExchange | undefined;
  /** The request that was parsed last, current or queued. Undefined once it is complete and its response has been sent. */
  readonly latest: IncomingMessage | undefined;
  /** Tasks that wait for earlier responses or for a turn: requests, and as the last one possibly an error. */
  readonly waiting: (() => void)[];
  /** True until its first response has been sent. */
  readonly isNew: boolean;
  /** True while it waits for a turn of the event loop. */
  readonly delayed: boolean;
  /** True once the last task is waiting. Later requests are ignored. */
  readonly full: boolean;
  /** True once the last response of the connection is decided. Later requests are ignored (RFC 9112 section 9.6). */
  readonly ending: boolean;
  /** True for a request that another server passed to `handle`: that server owns the connection. */
  readonly external: boolean;
  /** Undefined for an external connection. */
  readonly place: Place | undefined;
}
