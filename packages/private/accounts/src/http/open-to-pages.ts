import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/** What clients need of a response besides its body (RFC 6750, RFC 9449, MCP streamable HTTP). */
const exposed = ["DPoP-Nonce", "Mcp-Session-Id", "Retry-After", "WWW-Authenticate", "X-Request-Id"].join(", ");

/** Lets pages of any origin read the response, also that of an error. Only for routes that never look at cookies. */
export function letPagesRead(context: Context): void {
  context.header("Access-Control-Allow-Origin", "*");
  context.header("Access-Control-Expose-Headers", exposed);
}

/**
 * Creates the middleware that lets pages of any origin send requests and read the responses, without credentials.
 *
 * @param allowHeaders the headers that the requests may have. Default: any.
 */
export function openToPages(allowHeaders?: string[]): MiddlewareHandler {
  const allowMethods = ["GET", "POST", "DELETE"];
  const preflight = cors({ origin: "*", allowMethods, maxAge: 600, ...(allowHeaders && { allowHeaders }) });
  return (context, next) => {
    if (context.req.method === "OPTIONS") return preflight(context, next);
    // As `cors` does, which would copy each response.
    letPagesRead(context);
    return next();
  };
}
