import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { BoundSocket } from "./bound-socket.js";
import { createFront } from "./front.js";
import { createExchange, type Exchange, type HandlerRejection } from "./handler-exchange.js";
import type { RawAnswer } from "./last-response.js";
import type { ConnectionLimits } from "./limits.js";
import type { Trust } from "./places.js";
import { faultOf } from "./portable.js";
import type { UnreadResponses } from "./unread-responses.js";

/** Limits for pages and small JSON, where nothing else is known. Times are in milliseconds, sizes in bytes. */
export const defaultConnectionLimits: ConnectionLimits = {
  headerBytes: 16 * 1024,
  receiveTimeoutMs: 10_000,
  writeTimeoutMs: 10_000,
  pipelinedRequests: 16,
  keepAliveMs: 65_000,
  drainBytes: 64 * 1024 * 1024,
  drainMs: 2_000,
  connections: 1_000,
  connectionsPerAddress: Number.POSITIVE_INFINITY,
  backlog: 4096,
};

/** A request to which the listener itself has responded. */
export interface RejectedRequest {
  readonly requestId: string;
  readonly status: number;
  readonly reason: HandlerRejection;
}

/** A rejected request with a path, and what happened and what to do. */
export interface RejectedPath extends RejectedRequest {
  /** The target of the request line. */
  readonly url: string;
  readonly message: string;
  /** The delay in the Retry-After header. Undefined: the response has none. */
  readonly retryAfterMs: number | undefined;
}

export interface HandlerListenerOptions {
  readonly limits?: Partial<ConnectionLimits>;
  readonly trustedProxies?: Trust | undefined;
  /** Counts unread responses, also those of other listeners. Default: one of this listener. */
  readonly unread?: UnreadResponses | undefined;
  /** Serves a request: a handler of node:http. Requests of one connection are served one after the other. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /**
   * Returns the body of the response to a rejected request, in JSON, where callers of its path expect that. Undefined, also by default:
   * plain text.
   */
  readonly jsonFor?: (rejected: RejectedPath) => object | undefined;
  /** Returns headers of the response to a rejected request, besides those that it has. */
  readonly rejectedHeaders?: (rejected: RejectedRequest) => readonly (readonly [name: string, value: string])[];
  /** Called for each request to which the listener itself responds, for the log. */
  readonly onRejected?: (rejected: RejectedRequest) => void;
  /** Called when the handler throws or rejects. Its caller gets 500, or a closed connection if the response has begun. */
  readonly onFailed?: (thrown: unknown) => void;
  /** Called when a connection could not be accepted, for example because file descriptors ran out. */
  readonly onNotAccepted?: (error: Error) => void;
}

/** A listener for a request handler of node:http. */
export interface HandlerListener {
  /** Answers at a socket. */
  serve(socket: BoundSocket): Promise<AddressInfo>;
  readonly connections: number;
  /** Closes each connection after its next response, so that callers move to another process. */
  leave(): void;
  /** Waits up to `graceMs` milliseconds (default: 10,000) for running requests, then closes every connection. */
  close(graceMs?: number): Promise<void>;
}

/** The retry delay where the same request can succeed later, in milliseconds. */
const retryAfterMs = 1_000;

const answers: Readonly<Record<HandlerRejection, { readonly status: number; readonly message: string }>> = {
  MALFORMED_HTTP: { status: 400, message: "The request is not valid HTTP/1.1 with exactly one Host header." },
  HEADERS_TOO_LARGE: {
    status: 431,
    message: "The headers are too large. Send fewer. In a browser, clear the cookies of this site.",
  },
  REQUEST_TIMEOUT: { status: 408, message: "The request did not arrive in time. Try again." },
  METHOD_NOT_ALLOWED: { status: 405, message: "This server is not a proxy: it does not support CONNECT." },
  ENCODING_UNSUPPORTED: { status: 501, message: "The Transfer-Encoding is not supported. Send Content-Length." },
  RATE_LIMITED: {
    status: 429,
    message: "Too many requests wait on this connection. Read the responses before you send more.",
  },
  INTERNAL: { status: 500, message: "The server failed. Try again later." },
  UNAVAILABLE: { status: 503, message: "The server is stopping. Try again." },
};

/** Once the handler reads the body: a caller need not send one that is rejected. A rejected body is read, too. */
function continueOnce(request: IncomingMessage, response: ServerResponse): void {
  let isWaiting = true;
  const proceed = () => {
    if (isWaiting && !response.headersSent) response.writeContinue();
    isWaiting = false;
  };
  request.once("resume", proceed);
  // An async iterator reads without it.
  request.on("newListener", (name) => name === "readable" && proceed());
}

/**
 * Creates a listener for a request handler of node:http, such as that of a web framework, with the front that every listener has. It
 * responds in plain text to requests that are not well-formed.
 */
export function createHandlerListener(options: HandlerListenerOptions): HandlerListener {
  const limits = { ...defaultConnectionLimits, ...options.limits };
  let leaving = false;
  let closing: Promise<void> | undefined;

  function rejected(reason: HandlerRejection, url?: string): RawAnswer {
    const requestId = randomUUID();
    const { status, message } = answers[reason];
    options.onRejected?.({ requestId, status, reason });
    const retry = reason === "RATE_LIMITED" || reason === "UNAVAILABLE" ? retryAfterMs : undefined;
    const json = url && options.jsonFor?.({ requestId, status, reason, message, url, retryAfterMs: retry });
    const headers = [
      ["Content-Type", json ? "application/json" : "text/plain; charset=utf-8"],
      ["Cache-Control", "no-store"],
      ["X-Content-Type-Options", "nosniff"],
      ["X-Request-Id", requestId],
      ...(retry === undefined ? [] : [["Retry-After", String(retry / 1000)] as const]),
      ...(options.rejectedHeaders?.({ requestId, status, reason }) ?? []),
    ] as const;
    return { status, headers, body: json ? JSON.stringify(json) : `${message}\n` };
  }

  /** Runs the handler. If it fails, only its caller is affected. */
  async function run(exchange: Exchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await options.handle(request, response);
      exchange.countUnread();
    } catch (thrown) {
      options.onFailed?.(thrown);
      if (exchange.settled) request.socket.destroy();
      else exchange.reject("INTERNAL");
    }
  }

  const front = createFront({
    limits,
    trustedProxies: options.trustedProxies,
    unread: options.unread,
    serve(connection, request, response) {
      const { httpVersion, headers } = request;
      const { host, "transfer-encoding": transferEncoding } = headers;
      const fault = faultOf({ httpVersion, host, transferEncoding });
      const exchange = createExchange(front.connections, connection, request, response, { rejected, limits });
      front.connections.take(connection, exchange);
      if (fault !== undefined) {
        exchange.reject(fault);
        return;
      }
      if (leaving) response.shouldKeepAlive = false;
      // RFC 9110 section 9.3.7: about the whole server, as health checks ask. A handler knows paths only.
      if (request.method === "OPTIONS" && request.url === "*") request.url = "/";
      if (httpVersion === "1.1" && headers.expect?.toLowerCase() === "100-continue") {
        continueOnce(request, response);
      }
      void run(exchange, request, response);
    },
    onConnect: () => rejected("METHOD_NOT_ALLOWED"),
    rejected: (reason, { url }) => rejected(reason, url),
    notAccepted: (error) => options.onNotAccepted?.(error),
  });

  return {
    serve: front.listen,
    get connections() {
      return front.connections.count;
    },
    leave() {
      leaving = true;
    },
    close(graceMs = 10_000) {
      leaving = true;
      closing ??= front.close(graceMs);
      return closing;
    },
  };
}
