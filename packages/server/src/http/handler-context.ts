import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { type ContextValues, createContextValues, type HandlerContext } from "@connectrpc/connect";
import type { Call } from "../operations/call.js";
import { callKey } from "../rpc/caller.js";
import type { HttpExchange } from "./http-exchange.js";
import { handlerHeaders } from "./response-headers.js";

/**
 * The context of one call, as Connect defines it. Headers and the signal are made only for a handler that asks for them:
 * most do not, and making and aborting an AbortController for each call would be a tenth of its cost.
 *
 * A class, because getters in an object literal give every object a hidden class of its own, which lives until the next
 * full garbage collection and takes the whole call with it: that doubled the cost of a call.
 */
export class LazyHandlerContext implements HandlerContext {
  readonly requestMethod = "POST";
  readonly protocolName = "connect";
  readonly service: DescService;
  readonly values: ContextValues;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  readonly #exchange: HttpExchange;

  constructor(
    exchange: HttpExchange,
    readonly method: DescMethod,
    call: Call,
  ) {
    this.#exchange = exchange;
    this.service = method.parent;
    this.values = createContextValues().set(callKey, call);
  }

  get url(): string {
    return this.#exchange.url;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= this.#exchange.requestHeader;
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

  /** The response headers that the handler set, as a flat list. Those that only the listener sets are ignored. */
  get headersSet(): string[] {
    return this.#responseHeader === undefined ? [] : handlerHeaders(this.#responseHeader);
  }

  // Handlers take it off the context and call it bare.
  readonly timeoutMs = (): number => Math.max(0, this.#exchange.deadlineAt - performance.now());
}
