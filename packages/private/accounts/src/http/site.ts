import { randomUUID } from "node:crypto";
import { getRequestListener } from "@hono/node-server";
import { createHandlerListener, type HandlerListener, type HandlerListenerOptions } from "@platform-rpc/front";
import { errorFields } from "@platform-rpc/front/errors";
import { type Document, type Logger, StorageError } from "@platform-rpc/server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { AccountsEnvironment, AccountsParts } from "./environment.js";
import { type ErrorForm, failureResponse, rejectionJson } from "./error-forms.js";
import { checkRouteLimits, type LimitedRoutes, limitRoutes } from "./limit-routes.js";
import { limitTime } from "./limit-time.js";
import { OAuthError, oauthErrorResponse } from "./oauth-error.js";
import { RequestError } from "./request-error.js";
import { type OnRequestEnd, requestLog } from "./request-log.js";

/** What every site needs of its process. */
export interface SiteParts
  extends Pick<AccountsParts, "addressHeader" | "clock" | "logger" | "rateLimiter" | "readiness"> {
  /** Records the requests, for metrics. Default: nothing does. */
  readonly onRequestEnd?: OnRequestEnd;
}

/** What a site serves, and how. */
export interface SiteOptions {
  /** Its name, and the limits of its routes: a route without limits cannot be served. */
  readonly routes: LimitedRoutes;
  /** Returns the form of the errors of a path. */
  readonly formOf: (path: string) => ErrorForm;
  /** Sets further headers that every response has. Default: none. */
  readonly headers?: MiddlewareHandler<AccountsEnvironment>;
  /** Adds the routes. */
  readonly mount: (app: Hono<AccountsEnvironment>) => void;
  /** Where callers find what there is. Default: the address that they have is wrong. */
  readonly notFound?: () => string;
}

export type Site = Hono<AccountsEnvironment>;

/**
 * Creates a site: each request has an id, a line in the log, a deadline and a rate, and each failure the form that its caller reads.
 *
 * @throws TypeError when a route has no limits.
 */
export function createSite(parts: SiteParts, { routes, formOf, headers, mount, notFound }: SiteOptions): Site {
  const { logger, readiness, onRequestEnd } = parts;
  const { listener } = routes;
  // One slash at the end of a path changes nothing: people and clients add it.
  const app: Site = new Hono<AccountsEnvironment>({ strict: false });
  app.use(requestLog(logger, listener, onRequestEnd));
  app.use(safeHeaders);
  if (headers !== undefined) app.use(headers);
  app.use(limitTime());
  app.use(limitRoutes(parts, routes));
  app.route("/", healthRoutes(readiness));
  mount(app);
  app.notFound((context) => {
    const message = notFound && { message: notFound() };
    return failureResponse(context, new RequestError("NOT_FOUND", message), formOf(context.req.path));
  });
  app.onError((error, context) => {
    if (error instanceof OAuthError) return oauthErrorResponse(context, error);
    const failed = error instanceof StorageError ? new RequestError("UNAVAILABLE") : error;
    const isKnown = failed instanceof RequestError;
    if (!isKnown) logger.error({ requestId: context.get("requestId"), ...errorFields(error) }, "unexpected error");
    return failureResponse(context, isKnown ? failed : new RequestError("INTERNAL"), formOf(context.req.path));
  });
  checkRouteLimits(app.routes, routes);
  return app;
}

/** Lets nobody guess the type of a response, or store one that does not say for how long: most show codes, names or tokens. */
async function safeHeaders(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  const { headers } = context.res;
  headers.set("X-Content-Type-Options", "nosniff");
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
}

/** The health of the process, for any Host. Some proxies ask with OPTIONS, for the root unless a path is set. */
function healthRoutes(readiness: () => Document): Hono {
  const own = { Allow: "GET, HEAD, OPTIONS" };
  const alive = (context: Context) => context.json({ status: "ok" }, 200, own);
  const ready = () => {
    const { status, contentType, body } = readiness();
    return new Response(Buffer.from(body), { status, headers: { "Content-Type": contentType, ...own } });
  };
  return new Hono()
    .on(["GET", "OPTIONS"], "/healthz", alive)
    .on(["GET", "OPTIONS"], "/readyz", ready)
    .options("/", ready);
}

export interface SiteListener extends Pick<HandlerListener, "serve" | "leave" | "close"> {
  /** Returns the number of open connections. */
  readonly connections: () => number;
}

export interface SiteListenerOptions extends Pick<HandlerListenerOptions, "limits" | "trustedProxies" | "unread"> {
  /** Returns what serves the requests of a URL instead of the site. Default: nothing does. */
  readonly servedBy?: (url: string) => HandlerListenerOptions["handle"] | undefined;
}

/** Creates a site and its listener. It serves plain HTTP: put a proxy with TLS in front of it. */
export function createSiteListener(
  parts: SiteParts,
  site: SiteOptions,
  { servedBy, ...options }: SiteListenerOptions,
): SiteListener {
  const { logger, addressHeader, onRequestEnd } = parts;
  const { listener: name } = site.routes;
  const serveSite = getRequestListener(createSite(parts, site).fetch, {
    overrideGlobalObjects: false,
    // The listener itself reads the rest of a rejected body.
    autoCleanupIncoming: false,
    // For requests without Host, such as health checks in HTTP/1.0: the name of no server (RFC 2606).
    hostname: "no-host.invalid",
    errorHandler: createUrlRejection(logger, name),
  });
  const listener = createHandlerListener({
    ...options,
    // With the header, all connections come from the proxy.
    trustedProxies: addressHeader === undefined ? options.trustedProxies : "all",
    handle: (request, response) => (servedBy?.(request.url ?? "") ?? serveSite)(request, response),
    jsonFor: (rejected) => rejectionJson(site.formOf(rejected.url.replace(/\?.*$/s, "")), rejected),
    onRejected(rejected) {
      logger.info({ ...rejected, listener: name }, "request");
      onRequestEnd?.({ operation: undefined, reason: rejected.reason, durationMs: 0 });
    },
    onFailed: (thrown) => logger.error({ ...errorFields(thrown), listener: name }, "unexpected error"),
    onNotAccepted: (error) => logger.error(errorFields(error), "connections cannot be accepted"),
  });
  return { ...listener, connections: () => listener.connections };
}

/**
 * Replaces the global Request and Response of this process by lighter ones, which take a seventh of the CPU time from a login. Only for a
 * process that makes no calls as a client: `instanceof Response` is false for what `fetch` returns.
 */
export function useLightResponses(): void {
  getRequestListener(() => new Response(null));
}

/** Creates the response to requests whose target and Host header are not a URL, which have no path that would say more. */
function createUrlRejection(logger: Logger, listener: string): () => Response {
  return () => {
    const [requestId, status] = [randomUUID(), 400];
    logger.info({ requestId, status, reason: "MALFORMED_HTTP", listener }, "request");
    const headers = {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": requestId,
    };
    return new Response("The path and the Host header are not a valid URL.\n", { status, headers });
  };
}
