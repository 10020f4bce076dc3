import type { Context, MiddlewareHandler } from "hono";
import type { AccountsEnvironment } from "./environment.js";
import { RequestError } from "./request-error.js";

/** The headers in which browsers, proxies and previews say that nobody has opened the page yet. */
const purposeHeaders = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"];

/**
 * Rejects requests that load a page before the person opens it. A browser discards a page with this status, and sends another request when
 * the person goes there. A page that was served would be that of another moment, and its scripts would act while nobody sees it.
 *
 * @see https://wicg.github.io/nav-speculation/prefetch.html#sec-purpose-header
 */
export const rejectPrefetch: MiddlewareHandler<AccountsEnvironment> = ({ req }, next) => {
  const ahead = purposeHeaders.some((name) => /prefetch|prerender|preview/i.test(req.header(name) ?? ""));
  if (ahead) throw new RequestError("PREFETCH");
  return next();
};

/**
 * Returns whether a browser goes to a page. Other requests with a safe method, such as HEAD, an image or the `fetch` of a script, must not
 * use anything up (RFC 9110 section 9.2.1). A browser without Fetch Metadata is believed. Clients ask with `prompt=none` in frames.
 */
export function isNavigation({ req }: Context): boolean {
  const destination = req.header("Sec-Fetch-Dest") ?? "document";
  // The mode `cors` says nothing without a destination: Node's `fetch` always sends it.
  return (
    req.method === "GET" && /^(?:document|i?frame)$/.test(destination) && req.header("Sec-Fetch-Mode") !== "no-cors"
  );
}
