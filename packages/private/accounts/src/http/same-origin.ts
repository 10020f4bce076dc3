import type { MiddlewareHandler } from "hono";
import { RequestError } from "./request-error.js";

/**
 * Serves only requests for the host of an origin. Prevents DNS rebinding, where a browser sends the host name of an attacking page. A
 * browser that follows a link to another name of this machine, such as 127.0.0.1, is sent to the origin itself, because cookies and
 * passkeys belong to that name. Behind a proxy that sends another Host, this would never end.
 *
 * @param other another origin whose host is served, too. Default: none.
 */
export function knownHost(origin: string, other = origin): MiddlewareHandler {
  const { host, protocol, port } = new URL(origin);
  const hosts = [host, new URL(other).host];
  return async (context, next) => {
    const url = new URL(context.req.url);
    if (hosts.includes(url.host)) return next();
    const page = context.req.method === "GET" && context.req.header("Sec-Fetch-Dest") === "document";
    const isDirect = url.protocol === protocol && url.port === port;
    if (page && isDirect) return context.redirect(origin + url.pathname + url.search, 302);
    const others = other === origin ? "" : ` for browsers, and ${other} for programs`;
    const message = `This server is ${origin}${others}. Use its host name in the URL; in a proxy, set Host to ${host}.`;
    throw new RequestError("WRONG_HOST", { message });
  };
}

/**
 * Rejects requests that a page of another origin made, so that it cannot act with the cookies of a signed-in person (cross-site
 * request forgery). A browser sends `Sec-Fetch-Site`, or at least `Origin` with every request that may change something; a page
 * can set neither. GET and HEAD change nothing here, and links from other sites must work.
 *
 * The form of a page with `Referrer-Policy: no-referrer` is sent with `Origin: null`, as is that of a sandboxed page of another site:
 * only `Sec-Fetch-Site` distinguishes them.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function sameOrigin(origin: string): MiddlewareHandler {
  return async (context, next) => {
    if (context.req.method === "GET" || context.req.method === "HEAD") return next();
    const site = context.req.header("Sec-Fetch-Site");
    const sentBy = context.req.header("Origin") ?? "";
    const same = site === undefined ? sentBy === origin : site === "same-origin" && [origin, "null"].includes(sentBy);
    if (same) return next();
    const message = `The request did not come from a page of ${origin}. Open that page, and try again there.`;
    throw new RequestError("CROSS_ORIGIN", { message });
  };
}
