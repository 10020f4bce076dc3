import { createSeparateDeadlines } from "./deadlines.js";
import { FetchExchange } from "./fetch-exchange.js";
import { createHttpService } from "./http-service.js";
import type { GatedRoutes, HandlerOptions } from "./options.js";

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
 * @throws TypeError when there is no platform or logger, when an operation streams, lacks its options or has another visibility, or when an origin in `corsOrigins` is
 * invalid.
 */
export function createFetchHandler(
  platform: GatedRoutes,
  options: HandlerOptions,
): (request: Request) => Promise<Response> {
  const service = createHttpService(platform, options, createSeparateDeadlines());
  return (request) => {
    const exchange = new FetchExchange(service, request);
    exchange.begin();
    return exchange.response;
  };
}
