import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { type ContextValues, createContextValues, type HandlerContext } from "@connectrpc/connect";
import type { Call } from "../services/call.js";
import { callKey } from "../services/call.js";
import { handlerHeaders } from "./response-headers.js";

/** What the context of a call reads of the request, when it is asked. */
export interface HandlerRequest {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly requestHeader: Headers;
  /** By the monotonic clock. */
  readonly deadlineAt: number;
}

/**
 * Connect's context of one call. Headers and the signal are created on first access: most handlers use neither, and an
 * AbortController for each call would be a tenth of the cost of the call.
 *
 * It is a class because an object literal with getters would get a hidden class for each call. Such a hidden class lives until
 * the next full garbage collection and retains the whole call, which doubled the cost of a call.
 */
export class LazyHandlerContext implements HandlerContext {
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly service: DescService;
  readonly values: ContextValues;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  readonly #request: HandlerRequest;

  constructor(
    request: HandlerRequest,
    readonly method: DescMethod,
    call: Call,
  ) {
    this.#request = request;
    this.service = method.parent;
    this.values = createContextValues().set(callKey, call);
  }

  get url(): string {
    return this.#request.url;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= this.#request.requestHeader;
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  /** The response headers that the handler has set, as a flat list, without those that only the listener may set. */
  get headersSet(): string[] {
    return this.#responseHeader === undefined ? [] : handlerHeaders(this.#responseHeader);
  }

  // A function property, because handlers destructure it and call it without `this`.
  readonly timeoutMs = (): number => Math.max(0, this.#request.deadlineAt - performance.now());
}
