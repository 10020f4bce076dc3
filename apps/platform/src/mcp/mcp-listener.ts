import { getRequestListener } from "@hono/node-server";
import type { AccountsEnvironment } from "@platform-rpc/accounts/http/environment";
import { checkRouteLimits, limitRoutes } from "@platform-rpc/accounts/http/limit-routes";
import { limitTime } from "@platform-rpc/accounts/http/limit-time";
import { onceStarted } from "@platform-rpc/accounts/http/once-started";
import { createUrlRejection } from "@platform-rpc/accounts/http/rejected-request";
import { RequestError } from "@platform-rpc/accounts/http/request-error";
import { requestLog } from "@platform-rpc/accounts/http/request-log";
import { knownHost } from "@platform-rpc/accounts/http/same-origin";
import { createHandlerListener, type HandlerListener, type HandlerListenerOptions } from "@platform-rpc/front";
import { errorFields } from "@platform-rpc/front/errors";
import { type Document, StorageError } from "@platform-rpc/server";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { mcpPath } from "../settings/mcp-url.js";
import { jsonRpcError, jsonRpcFailure } from "./json-rpc.js";
import { createMcpEndpoint, type McpEndpoint } from "./mcp-endpoint.js";
import { mcpRoutes } from "./mcp-limits.js";
import type { McpParts } from "./mcp-parts.js";
import { metadataPaths, resourceMetadata } from "./protected-resource.js";

export interface McpListenerOptions
  extends McpParts,
    Pick<HandlerListenerOptions, "limits" | "trustedProxies" | "unread"> {}

export interface McpListener extends Pick<HandlerListener, "listen" | "leave" | "close"> {
  /** Returns the number of open connections. */
  readonly connections: () => number;
}

const { listener: name } = mcpRoutes;

/** Creates the MCP listener: streamable HTTP for clients with a token of this resource. It never looks at cookies. */
export function createMcpListener(options: McpListenerOptions): McpListener {
  const { logger, addressHeader } = options;
  const endpoint = createMcpEndpoint(options);
  const listener = createHandlerListener({
    ...options,
    // With the header, all connections come from the proxy.
    trustedProxies: addressHeader === undefined ? options.trustedProxies : "all",
    handle: getRequestListener(createMcpApp(options, endpoint).fetch, {
      overrideGlobalObjects: false,
      autoCleanupIncoming: false,
      errorHandler: createUrlRejection(logger, name),
    }),
    jsonFor: ({ message }) => jsonRpcError(message),
    onRejected(rejected) {
      logger.info({ ...rejected, listener: name }, "request");
      options.onRequestEnd({ operation: undefined, reason: rejected.reason, durationMs: 0 });
    },
    onFailed: (thrown) => logger.error({ ...errorFields(thrown), listener: name }, "unexpected error"),
    onNotAccepted: (error) => logger.error(errorFields(error), "connections cannot be accepted"),
  });
  return {
    listen: listener.listen,
    leave: listener.leave,
    connections: () => listener.connections,
    async close() {
      await listener.close();
      await endpoint.close();
    },
  };
}

function createMcpApp(parts: McpParts, endpoint: McpEndpoint): Hono<AccountsEnvironment> {
  const { logger, readiness, resource, onRequestEnd } = parts;
  const app = new Hono<AccountsEnvironment>();
  app.use(requestLog(logger, { listener: name, onRequestEnd }));
  app.use(responseHeaders);
  app.use(limitTime());
  app.use(limitRoutes(parts, mcpRoutes));
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.get("/readyz", () => responseOf(readiness()));

  app.use(onceStarted(parts));
  app.use(knownHost(() => new URL(resource().url).origin));
  for (const path of metadataPaths) {
    // Clients in browsers start with it, and may send any header.
    app.use(path, cors({ origin: "*", allowMethods: ["GET"], exposeHeaders: ["X-Request-Id"], maxAge: 600 }));
    app.get(path, (context) => context.json(resourceMetadata(parts), 200, { "Cache-Control": "public, max-age=600" }));
  }
  app.post(mcpPath, endpoint.handle);
  app.all(mcpPath, (context) => {
    context.header("Allow", "POST");
    return context.json(jsonRpcError("Use POST: this server keeps no sessions and no open streams."), 405);
  });

  app.notFound((context) => {
    return jsonRpcFailure(context, new RequestError("NOT_FOUND", { message: `Use ${resource().url}.` }));
  });
  app.onError((error, context) => {
    if (error instanceof RequestError) return jsonRpcFailure(context, error);
    if (error instanceof StorageError) return jsonRpcFailure(context, new RequestError("UNAVAILABLE"));
    logger.error({ requestId: context.get("requestId"), ...errorFields(error) }, "unexpected error");
    return jsonRpcFailure(context, new RequestError("INTERNAL"));
  });
  checkRouteLimits(app.routes, mcpRoutes);
  return app;
}

async function responseHeaders(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  context.header("X-Content-Type-Options", "nosniff");
  if (!context.res.headers.has("Cache-Control")) context.header("Cache-Control", "no-store");
}

function responseOf({ status, contentType, body }: Document): Response {
  return new Response(Buffer.from(body), { status, headers: { "Content-Type": contentType } });
}
