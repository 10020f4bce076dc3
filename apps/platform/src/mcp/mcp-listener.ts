import { getRequestListener } from "@hono/node-server";
import type { AccountsEnvironment } from "@platform-rpc/accounts/http/environment";
import { healthRoutes } from "@platform-rpc/accounts/http/health-routes";
import { checkRouteLimits, limitRoutes } from "@platform-rpc/accounts/http/limit-routes";
import { limitTime } from "@platform-rpc/accounts/http/limit-time";
import { onceStarted } from "@platform-rpc/accounts/http/once-started";
import { openToPages } from "@platform-rpc/accounts/http/open-to-pages";
import { requestListenerOptions } from "@platform-rpc/accounts/http/rejected-request";
import { RequestError } from "@platform-rpc/accounts/http/request-error";
import { requestLog } from "@platform-rpc/accounts/http/request-log";
import { knownHost } from "@platform-rpc/accounts/http/same-origin";
import { createHandlerListener, type HandlerListener, type HandlerListenerOptions } from "@platform-rpc/front";
import { errorFields } from "@platform-rpc/front/errors";
import { StorageError } from "@platform-rpc/server";
import { queryContainsSecret } from "@platform-rpc/server/host";
import { type Context, Hono } from "hono";
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
    handle: getRequestListener(createMcpApp(options, endpoint).fetch, requestListenerOptions(logger, name)),
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
  // One slash at the end of a path changes nothing: people and clients add it.
  const app = new Hono<AccountsEnvironment>({ strict: false });
  app.use(requestLog(logger, { listener: name, onRequestEnd }));
  app.use(responseHeaders);
  app.use(limitTime());
  app.use(limitRoutes(parts, mcpRoutes));
  app.route("/", healthRoutes(readiness));

  app.use(onceStarted(parts));
  app.use(knownHost(() => new URL(resource().url).origin));
  // Clients in browsers look for documents at many paths, with any header. They read the errors, too.
  app.use(openToPages());
  for (const path of metadataPaths) {
    app.get(path, (context) => context.json(resourceMetadata(parts), 200, { "Cache-Control": "public, max-age=600" }));
  }
  app.post(mcpPath, (context) => {
    if (queryContainsSecret(new URL(context.req.url).search.slice(1))) throw new RequestError("TOKEN_IN_QUERY");
    return endpoint.handle(context);
  });
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
