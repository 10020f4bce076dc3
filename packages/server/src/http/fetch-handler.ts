import { FetchExchange } from "./fetch-exchange.js";
import { createHttpService } from "./http-service.js";
import type { GatedRoutes, HandlerOptions } from "./options.js";

/**
 * Creates a handler for hosts that speak in Request and Response, as Next and Hono: the gate, Error body, log,
 * CORS, deadlines and limits are those of a listener. The promise never rejects.
 *
 * The host has parsed the request, so some promises of a listener do not hold:
 * - A request that is not well-formed HTTP, or has too large headers, is answered by the host, as is `Expect`.
 * - Connections are the host's: their number, how long a request may take to arrive, how long an answer may go unread.
 * - A call is in flight until its Response is returned, not until it was sent.
 * - The host lets calls finish when it stops. There is no UNAVAILABLE while it does.
 * - The path is the URL's, which `Request` has normalized.
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
 * @throws TypeError when an operation lacks its options, or has another visibility.
 */
export function createFetchHandler(
  platform: GatedRoutes,
  options: HandlerOptions,
): (request: Request) => Promise<Response> {
  // Each call ends in the context of its own request: workerd cancels the timers of a request once it is answered.
  const service = createHttpService(platform, options, (task) => task());
  return (request) => {
    const exchange = new FetchExchange(service, request);
    exchange.begin();
    return exchange.response;
  };
}
