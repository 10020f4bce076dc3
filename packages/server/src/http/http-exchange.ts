import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "../contract/operation.js";
import type { AdmittedCaller } from "../domain/model/access.js";
import type { CallTrace } from "../ports/tracing.js";
import type { Route } from "../services/routes.js";
import { type RpcError, rpcError, withReasons } from "../services/rpc-error.js";
import { toRpcError } from "../services/to-rpc-error.js";
import { anyOriginHeaders } from "./cors.js";
import { optionsAnswer, preflightHeaders } from "./documents.js";
import { errorBody } from "./error-body.js";
import {
  checkAnnouncedBody,
  checkRequest,
  namesHost,
  type RequestHead,
  requireKnownHost,
  requireWellFormed,
} from "./gate.js";
import type { HttpService } from "./http-service.js";
import type { Place } from "./in-flight.js";
import { acceptedCodings, type Coding, compress, worthCompressing } from "./representations.js";
import { requestIdFrom } from "./request-head.js";
import { readTraceParent, type TraceParent } from "./request-log.js";
import { type Answer, errorHeaders, sendable } from "./response-headers.js";
import { serveCall } from "./serve-call.js";

/** Thrown when middleware has already read the body. Mount the handler before body parsers. */
export class BodyConsumedError extends Error {
  override readonly name = "BodyConsumedError";
}

const jsonHeaders = ["Content-Type", "application/json", "Cache-Control", "no-store"];

/**
 * One request and its response. Its states are begun, checked, admitted, received, answered and written, in this order, or
 * gone at any time. The methods follow that order, and only they change the state.
 *
 * It is a class so that no function is created for each call, and so that the state is private.
 */
export abstract class HttpExchange {
  readonly requestId: string;
  #route: Route | undefined;
  #claims: AdmittedCaller | undefined;
  #deadlineAt = Number.POSITIVE_INFINITY;
  #stopDeadline: (() => void) | undefined;
  #place: Place | undefined;
  #trace: CallTrace | undefined;
  #settledAt: number | undefined;
  #controller: AbortController | undefined;
  /** Whether a client looks for metadata that is not here. Pages of any origin may read that it is not (RFC 8615). */
  #isProbe = false;

  constructor(
    protected readonly service: HttpService,
    protected readonly head: RequestHead,
    readonly startedAt = performance.now(),
  ) {
    this.requestId = requestIdFrom(head.headers.requestId);
  }

  /** The request target, unchanged. */
  abstract readonly url: string;
  /** The headers that select the form of a document. Created on each access. */
  protected abstract readonly documentHeaders: IncomingHttpHeaders;
  /** All request headers. Created on each access. */
  abstract readonly requestHeader: Headers;
  /** Reads the body, then calls `received` or `fail`. @throws BodyConsumedError */
  protected abstract readBody(): void;
  /** Sends the response, and calls `written` when it has left the process. */
  protected abstract send(answer: Answer & { readonly headers: string[] }): void;

  /** Begun: the head has arrived. The request is for a document, a preflight, or a call. */
  begin(): void {
    if (this.settled) return;
    const { service, head } = this;
    try {
      requireWellFormed(head);
      const { path } = head.target;
      const route = service.routes.get(path);
      const document = route === undefined ? service.findDocument(path) : undefined;
      const asksServer = head.verb === "OPTIONS" && path === "*";
      if (namesHost(head) || !(document !== undefined || asksServer)) requireKnownHost(head, service.hosts);
      this.#route = route;
      this.#isProbe = route === undefined && document === undefined && path.includes("/.well-known/");
      const answer =
        document === undefined
          ? this.#preflight()
          : service.readDocument(document, { verb: head.verb, path, headers: this.documentHeaders });
      if (answer !== undefined) this.answer(answer);
      else if (asksServer && !service.draining) this.answer(optionsAnswer);
      else this.#check();
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  #preflight(): Answer | undefined {
    if (this.#isProbe && this.head.verb === "OPTIONS") return { status: 204, headers: preflightHeaders, body: "" };
    return this.service.cors.preflight(this.head, this.#operation);
  }

  /** Checked: the deadline runs, and the gate authenticates the caller. */
  #check(): void {
    const { service, head } = this;
    const { route, timeoutMs } = checkRequest(head, this.#route, service.draining, service.limits);
    this.#deadlineAt = this.startedAt + timeoutMs;
    this.#stopDeadline = service.deadlines.start(this);
    const claims = service.admit(head.headers.authorization, route.operation);
    if (claims instanceof Promise) {
      claims.then((known) => this.run(() => this.#admitted(known))).catch((thrown) => this.fail(thrown));
    } else this.#admitted(claims);
  }

  /** Admitted: the call counts as in flight, and its body is read. */
  #admitted(claims: AdmittedCaller): void {
    if (this.settled) return;
    const { service, head } = this;
    this.#claims = claims;
    this.#beginTrace();
    this.#place = service.inFlight.enter(claims);
    checkAnnouncedBody(head.headers, this.bodyBytes);
    this.readBody();
  }

  /** Received: the body has arrived, and the operation runs. */
  received(text: string): void {
    this.run(() => this.#call(text));
  }

  #call(text: string): void {
    const route = this.#route;
    const claims = this.#claims;
    const trace = this.#trace;
    if (this.settled || route === undefined || claims === undefined) return;
    const { writeJson } = this.service.contract;
    if (trace === undefined) serveCall(this, route, claims, text, writeJson);
    else trace.run(() => serveCall(this, route, claims, text, writeJson));
  }

  /** Runs a part of the call. If it throws, responds with the error. */
  run(part: () => void): void {
    try {
      part();
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  /** Responds with the result, unless the exchange is settled. */
  succeed(body: string, headers: readonly string[]): void {
    const coding = this.settled ? undefined : this.#codingFor(body);
    if (coding === undefined) this.#succeed(body, headers);
    else {
      // Encrypted contents become as small at the lowest level as at the highest.
      compress[coding](body, 1).then(
        (bytes) => this.run(() => this.#succeed(bytes, [...headers, "Content-Encoding", coding])),
        () => this.run(() => this.#succeed(body, headers)),
      );
    }
  }

  #codingFor(body: string): Coding | undefined {
    const { compressed } = this.service.contract;
    if (body.length < worthCompressing || !compressed?.has(this.#operation?.operation ?? "")) return undefined;
    return acceptedCodings(this.documentHeaders["accept-encoding"])[0];
  }

  #succeed(body: string | Uint8Array, headers: readonly string[]): void {
    if (this.#isLate) this.fail(rpcError("DEADLINE_EXCEEDED"));
    else this.answer({ status: 200, headers: [...jsonHeaders, ...headers], body });
  }

  /** Responds with the error, unless the exchange is settled. */
  fail(thrown: unknown): void {
    if (this.settled) return;
    const { log } = this.service;
    const error = toRpcError(thrown);
    if (error.reason === "INTERNAL") log.failed(this.requestId, thrown);
    else if (error.reason === "UNAVAILABLE" && thrown instanceof Error && thrown.cause !== undefined) {
      log.failed(this.requestId, thrown.cause);
    }
    try {
      this.#answerError(this.#isLate ? rpcError("DEADLINE_EXCEEDED") : error);
    } catch (unencodable) {
      // An implementation added a detail or a header that cannot be encoded. This is the last place that can respond.
      log.failed(this.requestId, unencodable);
      this.#answerError(rpcError("INTERNAL"));
    }
  }

  #answerError(thrown: RpcError): void {
    const { contract, resourceMetadataUrl } = this.service;
    const operation = this.#operation;
    const error = operation === undefined ? thrown : withReasons(thrown, contract.reasonsOf(operation));
    const headers = [...jsonHeaders, ...sendable(errorHeaders(error.metadata, resourceMetadataUrl))];
    this.answer({ status: error.httpStatus, headers, body: errorBody(error, this.requestId) }, error);
  }

  /** Answered: decides the response. Later calls are ignored. */
  answer({ status, headers, body, anyOrigin = this.#isProbe, shared = false }: Answer, error?: RpcError): void {
    if (!this.#settle(status, error)) return;
    const { service, head, requestId } = this;
    const all = ["X-Request-Id", requestId, "X-Content-Type-Options", "nosniff"];
    all.push(...(anyOrigin ? anyOriginHeaders : service.cors.headers(head.headers)));
    for (const header of this.#operation?.deprecationHeaders ?? []) all.push(...header);
    all.push(...headers);
    this.send({ status, headers: all, body, shared });
  }

  /** Written: the response has left the process. */
  protected written(): void {
    if (this.#place === undefined) return;
    this.service.inFlight.leave(this.#place);
    this.#place = undefined;
  }

  /** Gone: the caller has disconnected. */
  gone(): void {
    if (!this.settled) {
      const error = rpcError("CANCELED");
      this.#settle(error.httpStatus, error);
    }
    this.written();
  }

  /** Ends the call and logs it. Returns false if it had already ended. */
  #settle(status: number, error: RpcError | undefined): boolean {
    if (this.settled) return false;
    this.#settledAt = performance.now();
    this.#stopDeadline?.();
    if (error !== undefined) this.#controller?.abort(error);
    const end = this.service.log.ended({
      requestId: this.requestId,
      operation: this.#operation?.operation,
      tenantId: this.#claims?.tenantId,
      status,
      error,
      durationMs: this.#settledAt - this.startedAt,
      trace: this.#traceParent,
    });
    this.#trace?.end(end);
    return true;
  }

  #beginTrace(): void {
    const { requestId, head, service } = this;
    if (service.tracing === undefined || this.#route === undefined) return;
    const { operation } = this.#route.operation;
    const { traceparent, tracestate } = head.headers;
    this.#trace = service.tracing.begin({ operation, requestId, startedAt: this.startedAt, traceparent, tracestate });
  }

  /** The trace that the request belongs to: the one that is recorded here, otherwise the caller's. */
  get #traceParent(): TraceParent | undefined {
    if (this.#trace === undefined) return readTraceParent(this.head.headers.traceparent);
    const { traceId, traceFlags } = this.#trace.context;
    return { traceId, sampled: traceFlags % 2 === 1 };
  }

  get #operation(): Operation | undefined {
    return this.#route?.operation;
  }

  /** The maximum size of the request body. Some operations have a larger one than the listener. */
  protected get bodyBytes(): number {
    const { contract, limits } = this.service;
    return Math.max(contract.bodyBytes?.[this.#operation?.operation ?? ""] ?? 0, limits.bodyBytes);
  }

  /** True once the response is decided or the caller has disconnected. */
  get settled(): boolean {
    return this.#settledAt !== undefined;
  }

  /** When the exchange was settled, by the monotonic clock. */
  protected get settledAt(): number | undefined {
    return this.#settledAt;
  }

  /** The deadline, by the monotonic clock. After it, the only response is DEADLINE_EXCEEDED. */
  get deadlineAt(): number {
    return this.#deadlineAt;
  }

  get #isLate(): boolean {
    return performance.now() >= this.#deadlineAt;
  }

  /** The abort signal of the handler. Created on first access, because most handlers do not use it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.settled) this.#controller.abort();
    }
    return this.#controller.signal;
  }
}
