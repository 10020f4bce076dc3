import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type Connection, type Connections, closeWritingSide, type Rejection } from "@platform-rpc/front";
import { type RpcError, rpcError } from "../services/rpc-error.js";
import { unavailable } from "../services/to-rpc-error.js";
import type { RequestHead } from "./gate.js";
import { HttpExchange } from "./http-exchange.js";
import type { HttpService } from "./http-service.js";
import { ReceivedRequest, readBody, takeBody } from "./received-request.js";
import { announcesBody, joinHeaders, parseTarget, readRequestHeaders } from "./request-head.js";
import type { Answer } from "./response-headers.js";

/** How long an unread body is read once the listener stops, in milliseconds: a slow sender must not delay the stop. */
const stoppingDrainMs = 100;

/** Returns the head of a request that node:http has parsed. */
export function headOf(request: IncomingMessage): RequestHead {
  return {
    httpVersion: request.httpVersion,
    verb: request.method ?? "",
    target: parseTarget(request.url ?? ""),
    headers: readRequestHeaders(request instanceof ReceivedRequest ? request.headers : joinHeaders(request.rawHeaders)),
  };
}

/** The retry delay for a request that is one too many on its connection, in milliseconds. */
const retryAfterMs = 1000;

/** Returns the error for a request that the front of the listener rejects. */
export function errorOf(rejection: Rejection): RpcError {
  if (rejection === "UNAVAILABLE") return unavailable();
  if (rejection !== "RATE_LIMITED") return rpcError(rejection);
  const message = "Too many requests wait on this connection. Read the responses before you send more.";
  return rpcError(rejection, { message, retryAfterMs });
}

/** An exchange over a connection of node:http. */
export class NodeExchange extends HttpExchange {
  #pieceWrittenAt = 0;

  constructor(
    service: HttpService,
    private readonly connections: Connections,
    private readonly connection: Connection,
    readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    super(service, headOf(request), request instanceof ReceivedRequest ? request.arrivedAt : undefined);
  }

  get url(): string {
    return this.request.url ?? "";
  }

  protected get documentHeaders(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get requestHeader(): Headers {
    const headers = new Headers();
    const raw = this.request.rawHeaders;
    for (let index = 0; index + 1 < raw.length; index += 2) headers.append(raw[index] ?? "", raw[index + 1] ?? "");
    return headers;
  }

  /** Runs a part of the call as soon as a turn of the event loop has time for it. */
  override run(part: () => void): void {
    this.connections.run(this.connection, () => super.run(part));
  }

  protected readBody(): void {
    const { request, response, head, connection } = this;
    // RFC 9110 section 10.1.1: HTTP/1.0 has no interim responses. An external server has sent "100 Continue" already.
    const continues = head.headers.expect !== undefined && head.httpVersion !== "1.0" && !connection.external;
    if (continues) response.writeContinue();
    readBody(request, this.bodyBytes, this);
  }

  /**
   * If the request body has not arrived completely, closes only our side of the connection, so that the response is not lost. A response
   * that is not the caller's fault waits for the body instead: the next call should not need another connection.
   */
  protected send(answer: Answer & { readonly headers: string[] }): void {
    const { status, headers, body, shared = false } = answer;
    const { request, response, connection, connections, service } = this;
    const { limits, leaving } = service;
    const { socket } = connection;
    const unread = announcesBody(this.head.headers) && !request.complete;
    const { contentLength, expect } = this.head.headers;
    if (unread && status === 503 && !leaving && Number(contentLength) <= this.bodyBytes && expect === undefined) {
      takeBody(request, (chunk) => chunk === null && this.send(answer));
      return;
    }
    const size = Buffer.byteLength(body);
    // A body with as many bytes as characters is ASCII, and latin1 encodes ASCII faster.
    const encoding = size === body.length ? "latin1" : "utf8";
    // RFC 9110 section 8.6: a 204 has no Content-Length, and that of a 304 would be that of the 200.
    if (status !== 204 && status !== 304) headers.push("Content-Length", String(size));
    // Queued requests get their responses before the connection is closed.
    if (unread || (leaving && connection.waiting.length === 0)) {
      headers.push("Connection", "close");
      connections.end(connection);
    }
    response.writeHead(status, headers);
    if (size <= limits.pieceBytes || request.method === "HEAD") {
      if (unread) this.#closeWritingSide();
      response.end(body, encoding);
    } else {
      const bytes = typeof body === "string" ? Buffer.from(body, encoding) : body;
      writePieces(response, bytes, limits.pieceBytes, {
        onProgress: () => {
          this.#pieceWrittenAt = performance.now();
          connections.unread.progressed(socket);
        },
        onEnd: () => {
          if (unread) this.#closeWritingSide();
          response.end();
        },
      });
    }
    connections.changed();
    // node:http assigns the socket to a response only after the one before has finished, in a later turn. Until then, node:http
    // buffers the response.
    const out = response.socket !== null && response.writableEnded && socket.writableLength === 0;
    if (out && connection.waiting.length === 0) {
      this.#release(this.settledAt);
      return;
    }
    if (!out) connections.unread.add(socket, shared ? Math.min(size, limits.pieceBytes) : size);
    response.on("close", () => {
      connections.unread.remove(socket);
      this.#release();
    });
  }

  #closeWritingSide(): void {
    const { limits, draining } = this.service;
    const drainMs = draining ? Math.min(limits.drainMs, stoppingDrainMs) : limits.drainMs;
    closeWritingSide(this.connection.socket, { drainBytes: limits.drainBytes, drainMs });
  }

  #release(at?: number): void {
    this.written();
    this.connections.release(this.connection, this, at);
  }

  reject(rejection: Rejection): void {
    this.fail(errorOf(rejection));
  }

  /** Returns true if the response is being sent and has made no progress since `before`, by the monotonic clock. */
  stalledSince(before: number): boolean {
    return this.settledAt !== undefined && Math.max(this.settledAt, this.#pieceWrittenAt) < before;
  }
}

/** Writes a body in pieces. Each is written once the previous one has left the process, and is reported as progress. */
function writePieces(
  response: ServerResponse,
  bytes: Uint8Array,
  pieceBytes: number,
  { onProgress, onEnd }: { readonly onProgress: () => void; readonly onEnd: () => void },
): void {
  let at = 0;
  const next = (error?: Error | null) => {
    // The connection is gone.
    if (error) return;
    onProgress();
    if (at >= bytes.length) {
      onEnd();
      return;
    }
    const piece = bytes.subarray(at, at + pieceBytes);
    at += piece.length;
    response.write(piece, next);
  };
  next();
}
