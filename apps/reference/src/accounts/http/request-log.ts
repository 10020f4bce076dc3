import { randomUUID } from "node:crypto";
import type { Logger } from "@platform-rpc/server";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { AccountsEnvironment } from "./environment.js";

/**
 * Gives each request an id, and logs one line for it: the route, never its query, headers, cookies or body, because codes and
 * tokens are in them.
 */
export function requestLog(logger: Logger, listener = "accounts"): MiddlewareHandler<AccountsEnvironment> {
  return async (context, next) => {
    const requestId = randomUUID();
    context.set("requestId", requestId);
    const startedAt = performance.now();
    await next();
    context.header("X-Request-Id", requestId);
    const { status } = context.res;
    const fields = {
      requestId,
      listener,
      method: context.req.method,
      route: routeOf(context),
      status,
      durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    };
    logger[status >= 500 ? "error" : "info"](fields, "request");
  };
}

/** Returns the pattern of the route, which contains no input. Undefined if only middleware has run: it has no route. */
function routeOf(context: Context): string | undefined {
  return matchedRoutes(context).find(({ method }) => method !== "ALL")?.path;
}
