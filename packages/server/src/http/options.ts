import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Visibility } from "@platform-rpc/types";
import type { Contract } from "../contract/contract.js";
import type { Tracing } from "../ports/tracing.js";
import type { Admit } from "../services/admission.js";
import type { Routes } from "../services/routes.js";
import type { Documents } from "./documents.js";
import type { Limits, UnreadResponses } from "./limits.js";
import type { Logger, RequestEnd } from "./request-log.js";

/** Routes and the gate in front of them. A `Platform` implements it. */
export interface GatedRoutes {
  readonly routes: Routes;
  /** Authenticates and authorizes a call. */
  readonly admit: Admit;
  /** Defines the errors of each version. Default: the public contract. */
  readonly contract?: Contract;
}

/**
 * The options of a listener and of a fetch handler.
 *
 * @example
 * ```ts
 * import { createFetchHandler, type HandlerOptions } from "@platform-rpc/server";
 *
 * const options: HandlerOptions = { logger, hosts: ["api.example"] };
 * const handle = createFetchHandler(platform, options);
 * console.log((await handle(new Request("https://other.example/"))).status);
 * // 404
 * ```
 */
export interface HandlerOptions {
  readonly logger: Logger;
  /** Called when a request has ended, with the fields of its log line: for metrics. A hook that throws is ignored. */
  readonly onRequestEnd?: (end: RequestEnd) => void;
  /**
   * The part of the successful requests that is logged, from 0 to 1. Failed requests are always logged. The decision depends only on
   * the trace id, or on the request id of a request without a trace. Default: 1.
   */
  readonly logSuccesses?: number;
  /** Traces calls: see `openTelemetry` of `@platform-rpc/server/otel`. Default: calls are not traced. */
  readonly tracing?: Tracing | undefined;
  /** The visibility of all operations. Creation throws for an operation of another visibility. Default: public. */
  readonly visibility?: Visibility;
  readonly limits?: Partial<Limits>;
  /** Documents to serve by GET in addition to the operations. An operation of the same path goes first. Default: none. */
  readonly documents?: Documents;
  /** A prefix of every path, such as `/api`. Documents are served without it, too. Default: no prefix. */
  readonly basePath?: string;
  /**
   * The host names and addresses that a request may have in its Host header, without a port. IPv6 addresses are in brackets.
   * Requests for other hosts are rejected as OPERATION_UNKNOWN. Set it to prevent DNS rebinding if only the network protects
   * the listener. Default: any host.
   */
  readonly hosts?: readonly string[];
  /** The origins whose pages may call operations, such as `https://app.example`. Default: none. */
  readonly corsOrigins?: readonly string[];
  /**
   * The URL of the protected resource metadata (RFC 9728). Every `WWW-Authenticate` header then contains it as `resource_metadata`. Serve
   * the metadata itself as one of `documents`. Default: none.
   */
  readonly resourceMetadataUrl?: string | undefined;
}

/**
 * The options of a listener: those of every handler, and those of its port and connections.
 *
 * @example
 * ```ts
 * import { createListener, type ListenerOptions } from "@platform-rpc/server";
 *
 * const options: ListenerOptions = { logger, trustedProxies: ["10.0.0.0/8"] };
 * const listener = createListener(platform, options);
 * await listener.listen(0, "127.0.0.1");
 * await listener.close();
 * ```
 */
export interface ListenerOptions extends HandlerOptions {
  /**
   * Counts the responses that wait in this process until their callers read them, and ends the slowest readers when they have too many
   * bytes together. Pass the same one to all listeners of a process. Default: one of this listener, with 256 MiB.
   */
  readonly unread?: UnreadResponses | undefined;
  /** Serves HTTPS: the private key and the certificate chain, in PEM. Default: plain HTTP. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /**
   * The addresses of the proxies in front of the listener, and ranges of them such as `10.0.0.0/8`. Their connections, which stand
   * for many callers, do not count for `connectionsPerAddress`, and never make room for others. Default: none.
   */
  readonly trustedProxies?: readonly string[];
}

/**
 * A listener for the operations of one visibility.
 *
 * @example
 * ```ts
 * import { createListener, type Listener } from "@platform-rpc/server";
 *
 * const listener: Listener = createListener(platform, { logger });
 * const { address, port } = await listener.listen(0, "127.0.0.1");
 * console.log(address, port > 0);
 * // 127.0.0.1 true
 * await listener.close();
 * ```
 */
export interface Listener {
  /**
   * Serves one request of your own server. Pass `handle` to node:http or node:https, or use it as a handler in Express. Mount
   * it before anything that reads bodies. Calls are served as with `listen`. Your server manages the connections: their limits
   * and timeouts, `Expect`, and the responses to requests that Node cannot parse.
   */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Starts to listen and returns the address. Port 0 selects a free port. Rejects when the address is not available. */
  listen(port: number, host: string): Promise<AddressInfo>;
  /** The number of open connections. */
  readonly connections: number;
  /** The number of admitted calls whose responses have not been sent. */
  readonly callsInFlight: number;
  /**
   * Serves calls as before, but closes each connection after its next response, so that callers that keep connections open move to
   * another process. Call it when readiness fails, some time before `close`.
   */
  leave(): void;
  /** True once `close` was called. From then on readiness fails and new calls are rejected as UNAVAILABLE. */
  readonly draining: boolean;
  /** Waits up to `graceMs` milliseconds (default: 10,000) for running calls, then closes every connection. */
  close(graceMs?: number): Promise<void>;
}
