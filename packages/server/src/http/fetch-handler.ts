import type { IncomingHttpHeaders } from "node:http";
import { requireOptions } from "@platform-rpc/options";
import { rpcError } from "../services/rpc-error.js";
import { createSeparateDeadlines } from "./deadlines.js";
import type { RequestHead } from "./gate.js";
import { BodyConsumedError, HttpExchange } from "./http-exchange.js";
import { createHttpService, type HttpService } from "./http-service.js";
import { handlerRules, requirePlatform } from "./option-rules.js";
import type { GatedRoutes, HandlerOptions } from "./options.js";
import { readRequestHeaders } from "./request-head.js";
import type { Answer } from "./response-headers.js";

/**
 * Creates a handler for hosts that use `Request` and `Response`, such as Next and Hono. The gate, Error body, log, CORS,
 * deadlines and limits are those of a listener. The promise never rejects.
 *
 * The host parses the requests, so some guarantees of a listener do not apply:
 * - The host responds to malformed HTTP, to headers that are too large, and to `Expect`.
 * - The host limits the number of connections, and the time in which a request must arrive and a response must be read.
 * - A call counts as in flight until its `Response` is returned, not until it is sent.
 * - The host must wait for running calls when it stops. The handler does not reject new calls as UNAVAILABLE meanwhile.
 * - The path is that of the URL, which `Request` has normalized.
 *
 * @example
 * ```ts
 * import { createFetchHandler } from "@platform-rpc/server";
 *
 * const handle = createFetchHandler(platform, { logger });
 * const answer = await handle(new Request("https://api.example/nowhere", { method: "POST" }));
 * console.log(answer.status, answer.headers.get("Content-Type"));
 * // 404 application/json
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected; or when an operation streams, lacks its options or has another
 * visibility.
 */
export function createFetchHandler(
  platform: GatedRoutes,
  options: HandlerOptions,
): (request: Request) => Promise<Response> {
  requirePlatform("createFetchHandler", platform);
  requireOptions("createFetchHandler", options, handlerRules);
  const service = createHttpService(platform, options, createSeparateDeadlines());
  return (request) => {
    const exchange = new FetchExchange(service, request);
    exchange.begin();
    return exchange.response;
  };
}

/** Returns the head of a request that the host has parsed. HTTP version and body framing are the host's responsibility. */
function headOf({ method, headers }: Request, url: URL): RequestHead {
  const read = readRequestHeaders(Object.fromEntries(headers));
  return {
    httpVersion: "1.1",
    verb: method,
    target: { path: url.pathname, query: url.search.slice(1), authority: url.host },
    headers: { ...read, host: read.host ?? url.host, transferEncoding: undefined },
  };
}

/** An exchange with a host that uses `Request` and `Response` (Fetch Standard). */
class FetchExchange extends HttpExchange {
  /** Resolves with the response. Never rejects. */
  readonly response: Promise<Response>;
  #respond: (response: Response) => void = () => {};
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #request: Request;
  readonly #url: URL;

  constructor(service: HttpService, request: Request) {
    const url = new URL(request.url);
    super(service, headOf(request, url));
    this.#request = request;
    this.#url = url;
    this.response = new Promise((resolve) => {
      this.#respond = resolve;
    });
    const leave = () => this.fail(rpcError("CANCELED"));
    if (request.signal.aborted) leave();
    else request.signal.addEventListener("abort", leave, { once: true });
  }

  get url(): string {
    return this.#url.pathname + this.#url.search;
  }

  protected get documentHeaders(): IncomingHttpHeaders {
    return Object.fromEntries(this.#request.headers);
  }

  get requestHeader(): Headers {
    return new Headers(this.#request.headers);
  }

  protected readBody(): void {
    if (this.#request.bodyUsed) throw new BodyConsumedError();
    this.#readText().then(
      (text) => this.received(text),
      (thrown) => this.fail(thrown),
    );
  }

  /** Checks the size while reading, because a body may have no Content-Length. */
  async #readText(): Promise<string> {
    const { bodyBytes } = this;
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    this.#reader = this.#request.body?.getReader();
    let text = "";
    let size = 0;
    for (;;) {
      const { done = true, value } = (await this.#reader?.read().catch(canceled)) ?? {};
      size += value?.byteLength ?? 0;
      if (size > bodyBytes) throw rpcError("REQUEST_TOO_LARGE");
      try {
        text += decoder.decode(value, { stream: !done });
      } catch {
        throw rpcError("MALFORMED_JSON");
      }
      if (done) return text;
    }
  }

  protected send({ status, headers, body }: Answer): void {
    const bodiless = status === 204 || status === 304 || this.head.verb === "HEAD";
    const named = new Headers();
    for (let index = 0; index + 1 < headers.length; index += 2)
      named.append(headers[index] ?? "", headers[index + 1] ?? "");
    // A document in a content coding is already encoded. Without `encodeBody`, workerd would encode it again.
    const init = { status, headers: named, encodeBody: "manual" };
    this.#respond(new Response(bodiless ? null : body, init));
    this.written();
    // The rest of the body is not needed. An error of its stream is ignored.
    this.#reader?.cancel().catch(() => {});
  }
}

/** Throws CANCELED, because a body stream fails when the caller has disconnected. */
function canceled(): never {
  throw rpcError("CANCELED");
}
