import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import type { Call } from "../operations/call.js";
import { callKey } from "../rpc/caller.js";
import type { Route } from "../rpc/routes.js";
import type { HttpExchange } from "./http-exchange.js";

/** What a handler is given, and the headers that it wants on its answer. */
export interface LazyHandlerContext {
  readonly context: HandlerContext;
  /** The response headers that the handler set, as a flat list. */
  readonly headersSet: () => string[];
}

/**
 * The context of one call, as Connect defines it. Headers and the signal are made only for a handler that asks for them:
 * most do not, and making and aborting an AbortController for each call would be a tenth of its cost.
 */
export function createLazyContext(
  exchange: HttpExchange,
  { method }: Route,
  call: Call,
  deadlineAt: number,
): LazyHandlerContext {
  let requestHeader: Headers | undefined;
  let responseHeader: Headers | undefined;
  let responseTrailer: Headers | undefined;
  let controller: AbortController | undefined;
  const context: HandlerContext = {
    service: method.parent,
    method,
    requestMethod: "POST",
    protocolName: "connect",
    url: exchange.request.url ?? "",
    values: createContextValues().set(callKey, call),
    timeoutMs: () => Math.max(0, deadlineAt - performance.now()),
    get signal() {
      if (controller === undefined) {
        const made = new AbortController();
        exchange.abort = (reason) => made.abort(reason);
        controller = made;
      }
      return controller.signal;
    },
    get requestHeader() {
      requestHeader ??= headersFrom(exchange.request.rawHeaders);
      return requestHeader;
    },
    get responseHeader() {
      responseHeader ??= new Headers();
      return responseHeader;
    },
    get responseTrailer() {
      responseTrailer ??= new Headers();
      return responseTrailer;
    },
  };
  return { context, headersSet: () => (responseHeader === undefined ? [] : [...responseHeader].flat()) };
}

function headersFrom(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < raw.length; index += 2) headers.append(raw[index] ?? "", raw[index + 1] ?? "");
  return headers;
}
