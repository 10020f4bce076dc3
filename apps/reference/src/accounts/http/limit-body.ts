import type { MiddlewareHandler } from "hono";

/**
 * Rejects bodies that are too large, and those whose size is not announced: browsers announce it. Node receives no more than the
 * announced bytes.
 */
export function limitBody(maxBytes: number): MiddlewareHandler {
  return async (context, next) => {
    if (context.req.header("Transfer-Encoding") !== undefined) {
      return context.text("The size of the body is unknown. Send a Content-Length header.\n", 411);
    }
    if (Number(context.req.header("Content-Length") ?? 0) > maxBytes)
      return context.text("The body is too large.\n", 413);
    return next();
  };
}
