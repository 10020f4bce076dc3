import type { MiddlewareHandler } from "hono";
import { RequestError } from "./request-error.js";

/**
 * Serves only requests for the host of the accounts origin. Prevents DNS rebinding, where a browser sends the host name of an
 * attacking page. A browser that follows a link to another name of this machine, such as 127.0.0.1, is sent to the origin itself,
 * because cookies and passkeys belong to that name.
 */
export function knownHost(origin: () => string): MiddlewareHandler {
  return async (context, next) => {
    const url = new URL(context.req.url);
    const { host } = new URL(origin());
    if (url.host === host) return next();
    const page = context.req.method === "GET" && context.req.header("Sec-Fetch-Dest") === "document";
    if (page) return context.redirect(origin() + url.pathname + url.search, 302);
    const message = `This server is ${origin()}. Use its host name in the URL.`;
    throw new RequestError("WRONG_HOST", { message });
  };
}
