import { randomUUID } from "node:crypto";
import type { Logger, RequestEnd } from "@platform-rpc/server";
import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { AccountsEnvironment } from "./environment.js";
import { RequestError } from "./request-error.js";

export type OnRequestEnd = (end: Pick<RequestEnd, "operation" | "reason" | "durationMs">) => void;

/**
 * Gives each request an id, and logs one line for it: the route, never its query, headers, cookies or body, because codes and
 * tokens are in them.
 */
export function requestLog(
  logger: Logger,
  listener: string,
  onRequestEnd?: OnRequestEnd,
): MiddlewareHandler<AccountsEnvironment> {
  return async (context, next) => {
    const requestId = randomUUID();
    context.set("requestId", requestId);
    const startedAt = performance.now();
    await next();
    // Not `context.header`, which copies a response that is complete.
    const { headers, status } = context.res;
    headers.set("X-Request-Id", requestId);
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
    const fields = { requestId, listener, method: context.req.method, route: routeOf(context), status, durationMs };
    logger[status >= 500 ? "error" : "info"](fields, "request");
    onRequestEnd?.({ operation: undefined, reason: reasonOf(context), durationMs });
  };
}

/** Returns why a request was rejected. Undefined: it was not. */
function reasonOf({ error, res: { status } }: Context): string | undefined {
  if (error instanceof RequestError) return error.reason;
  if (status < 400) return undefined;
  return byStatus[status] ?? "REJECTED";
}

/** The reasons of responses that are not those of a RequestError. */
const byStatus: Readonly<Partial<Record<number, string>>> = {
  401: "UNAUTHENTICATED",
  403: "INSUFFICIENT_SCOPE",
  405: "METHOD_NOT_ALLOWED",
  413: "REQUEST_TOO_LARGE",
  415: "MEDIA_TYPE_UNSUPPORTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/** Returns the pattern of the route, which contains no input. Undefined if only middleware has run: it has no route. */
function routeOf(context: Context): string | undefined {
  return matchedRoutes(context).find(({ method }) => method !== "ALL")?.path;
}
