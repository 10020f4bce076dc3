import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Connection, Connections } from "./connections.js";
import type { RequestHead } from "./gate.js";
import { type Answer, HttpExchange } from "./http-exchange.js";
import type { HttpService } from "./http-service.js";
import { readBody } from "./read-body.js";
import { announcesBody, readRequestHeaders } from "./request-headers.js";
import { parseTarget } from "./target.js";
import { drainBody, writePieces } from "./write-body.js";

/** How long an unread body is read once the listener stops, in milliseconds: nobody who still sends delays the stop. */
const stoppingDrainMs = 100;

/** The head of a request, as node:http has parsed it. */
export function headOf(request: IncomingMessage): RequestHead {
  return {
    httpVersion: request.httpVersion,
    verb: request.method ?? "",
    target: parseTarget(request.url ?? ""),
    headers: readRequestHeaders(request.rawHeaders),
  };
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
    super(service, headOf(request));
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

  protected readBody(done: (text: string) => void, failed: (reason: unknown) => void): void {
    const { request, response, head, service, connection } = this;
    // RFC 9110 section 10.1.1: HTTP/1.0 has no interim answers. A server that is not ours has sent it already.
    const continues = head.headers.expect !== undefined && head.httpVersion !== "1.0" && !connection.lent;
    if (continues) response.writeContinue();
    readBody(request, service.limits.bodyBytes, done, failed);
  }

  /**
   * When the request's body has not arrived in full, some of it is read first and thrown away: closing at once would reset
   * the connection, and the answer would be lost on its way. Then the connection is closed.
   */
  protected send({ status, headers, body }: Answer & { readonly headers: string[] }): void {
    const { request, response, connection, connections, service } = this;
    const { limits, draining } = service;
    const unread = announcesBody(this.head.headers) && !request.complete;
    const size = Buffer.byteLength(body);
    // As many bytes as characters is ASCII, which goes out faster when nobody looks for anything else in it.
    const encoding = size === body.length ? "latin1" : "utf8";
    // RFC 9110 section 8.6: a 204 has none, and a 304 would have that of the 200.
    if (status !== 204 && status !== 304) headers.push("Content-Length", String(size));
    // Requests that wait on a draining connection are answered before it is closed.
    if (unread || (draining && connection.waiting.length === 0)) {
      headers.push("Connection", "close");
      connections.end(connection);
    }
    response.writeHead(status, headers);
    if (!unread && (size <= limits.pieceBytes || request.method === "HEAD")) response.end(body, encoding);
    else {
      const bytes = typeof body === "string" ? Buffer.from(body, encoding) : body;
      const drainMs = draining ? Math.min(limits.drainMs, stoppingDrainMs) : limits.drainMs;
      const end = () => response.end();
      writePieces(response, bytes, limits.pieceBytes, {
        onProgress: () => {
          this.#pieceWrittenAt = performance.now();
        },
        onEnd: unread ? () => drainBody(request, { drainBytes: limits.drainBytes, drainMs }, end) : end,
      });
    }
    connections.changed();
    // node:http gives the connection to the next response only after this turn: until then nothing of it is written.
    const out = response.socket !== null && response.writableEnded && connection.socket.writableLength === 0;
    if (out && connection.waiting.length === 0) this.#release();
    else response.on("close", () => this.#release());
  }

  #release(): void {
    this.written();
    this.connections.release(this.connection, this);
  }

  /** Whether some of the answer is due, and none of it was taken since `before`, by the monotonic clock. */
  stalledSince(before: number): boolean {
    return this.settledAt !== undefined && Math.max(this.settledAt, this.#pieceWrittenAt) < before;
  }
}
