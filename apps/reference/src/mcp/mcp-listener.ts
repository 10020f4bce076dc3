import { getRequestListener } from "@hono/node-server";
import { createHandlerListener, type HandlerListener, type HandlerListenerOptions } from "@platform-rpc/front";
import type { McpHandler } from "@platform-rpc/mcp/server";
import { type Authenticated, type Document, type Logger, StorageError } from "@platform-rpc/server";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import type { AccountsEnvironment, AccountsParts } from "../accounts/http/environment.js";
import { checkRouteLimits, limitRoutes } from "../accounts/http/limit-routes.js";
import { limitTime } from "../accounts/http/limit-time.js";
import { createUrlRejection } from "../accounts/http/rejected-request.js";
import { describeFailure, RequestError } from "../accounts/http/request-error.js";
import { requestLog } from "../accounts/http/request-log.js";
import { knownHost } from "../accounts/http/same-origin.js";
import type { McpResource } from "../accounts/oauth/oauth-parts.js";
import { readScope, scopesOf } from "../accounts/oauth-clients/grants.js";
import { errorFields } from "../process/errors.js";
import { mcpPath } from "../settings/mcp-url.js";
import { createInProcessTransports, type InProcessOptions } from "./in-process-transport.js";
import { mcpRoutes, rateOfPerson } from "./mcp-limits.js";

export interface McpListenerOptions
  extends Pick<HandlerListenerOptions, "limits" | "trustedProxies" | "unread">,
    Pick<AccountsParts, "rateLimiter" | "addressHeader" | "clock" | "apiUrl" | "readiness">,
    Pick<InProcessOptions, "routes"> {
  readonly logger: Logger;
  /** Returns the MCP server as a resource: its URL, and its tokens. */
  readonly resource: () => McpResource;
  /** Returns the origin where people sign in. */
  readonly authorizationServer: () => string;
  /** Signs the questions to people: the same for all processes of the platform. */
  readonly stateKey: Uint8Array;
}

export type McpListener = Pick<HandlerListener, "listen" | "leave" | "close">;

/** The scopes of the tools. Here, because the metadata must not load them. */
const mcpScopes: readonly string[] = ["vault.items:delete", readScope, "vault.items:restore"];

const wellKnown = "/.well-known/oauth-protected-resource";

/** Creates the MCP listener: streamable HTTP for clients with a token of this resource. It never looks at cookies. */
export function createMcpListener(options: McpListenerOptions): McpListener {
  const { logger, addressHeader } = options;
  const { app, close } = createMcpApp(options);
  const listener = createHandlerListener({
    ...options,
    // With the header, all connections come from the proxy.
    trustedProxies: addressHeader === undefined ? options.trustedProxies : "all",
    handle: getRequestListener(app.fetch, {
      overrideGlobalObjects: false,
      autoCleanupIncoming: false,
      errorHandler: createUrlRejection(logger, "mcp"),
    }),
    jsonFor: ({ message }) => jsonRpcError(message),
    onRejected: (rejected) => logger.info({ ...rejected, listener: "mcp" }, "request"),
    onFailed: (thrown) => logger.error({ ...errorFields(thrown), listener: "mcp" }, "unexpected error"),
    onNotAccepted: (error) => logger.error(errorFields(error), "connections cannot be accepted"),
  });
  return {
    listen: listener.listen,
    leave: listener.leave,
    async close() {
      await listener.close();
      await close();
    },
  };
}

function createMcpApp(options: McpListenerOptions) {
  const { logger, readiness, rateLimiter, resource } = options;
  const origin = () => new URL(resource().url).origin;
  const app = new Hono<AccountsEnvironment>();
  app.use(requestLog(logger, mcpRoutes.listener));
  app.use(secureHeaders);
  app.use(limitTime());
  app.use(limitRoutes(options, mcpRoutes));
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.get("/readyz", () => responseOf(readiness()));

  app.use(knownHost(origin));
  for (const path of [wellKnown, wellKnown + mcpPath] as const) {
    // Clients in browsers start with it, and may send any header.
    app.use(path, cors({ origin: "*", allowMethods: ["GET"], exposeHeaders: ["X-Request-Id"], maxAge: 600 }));
    app.get(path, (context) => context.json(metadataOf(options), 200, { "Cache-Control": "public, max-age=600" }));
  }

  const onFailed = (thrown: unknown) => logger.error({ ...errorFields(thrown), listener: "mcp" }, "unexpected error");
  let handler: Promise<McpHandler> | undefined;
  let transports: ReturnType<typeof createInProcessTransports> | undefined;
  // Loaded with the first call: most processes of a large platform never get one.
  const openHandler = async () => {
    const { createMcpHandler } = await import("@platform-rpc/mcp/server");
    const resourceMetadataUrl = () => metadataUrl(options);
    return createMcpHandler({ stateKey: options.stateKey, resourceMetadataUrl, onBug: onFailed });
  };

  app.post(mcpPath, async (context) => {
    // A browser sends the origin of the page: no page is a client, and one with a rebound name has another origin.
    const sentBy = context.req.header("Origin");
    if (sentBy !== undefined && sentBy !== origin()) throw new RequestError("CROSS_ORIGIN");
    const authorization = context.req.header("Authorization");
    const token = tokenIn(authorization);
    const found = token === undefined ? undefined : await resource().authenticator.authenticate(token);
    if (token === undefined || found?.access.oauthClient?.enabled !== true) {
      return challenge(context, options, token !== undefined);
    }
    await limitPerson(found);
    const { claims } = found;
    const { tenantId, principalId, oauthClientId, scopes } = claims;
    handler ??= openHandler();
    transports ??= createInProcessTransports({ routes: options.routes, admit: resource().admit, onFailed });
    const response = await (await handler).fetch(context.req.raw, {
      id: JSON.stringify([tenantId, principalId, oauthClientId]),
      token,
      scopes,
      obtainableScopes: scopesOf(found.access.oauthClient),
      transport: transports(context.get("requestId")),
    });
    return context.newResponse(response.body, response);
  });
  app.all(mcpPath, (context) => {
    context.header("Allow", "POST");
    return context.json(jsonRpcError("Use POST: this server keeps no sessions and no open streams."), 405);
  });

  /** @throws RequestError RATE_LIMITED */
  async function limitPerson({ claims: { tenantId, principalId } }: Authenticated): Promise<void> {
    const key = JSON.stringify([mcpRoutes.listener, "person", tenantId, principalId]);
    const waitMs = (await rateLimiter?.take(key, rateOfPerson)) ?? 0;
    if (waitMs > 0) throw new RequestError("RATE_LIMITED", { waitMs });
  }

  app.notFound((context) => failure(context, new RequestError("NOT_FOUND", { message: `Use ${resource().url}.` })));
  app.onError((error, context) => {
    if (error instanceof RequestError) return failure(context, error);
    if (error instanceof StorageError) return failure(context, new RequestError("UNAVAILABLE"));
    logger.error({ requestId: context.get("requestId"), ...errorFields(error) }, "unexpected error");
    return failure(context, new RequestError("INTERNAL"));
  });
  checkRouteLimits(app.routes, mcpRoutes);
  return { app, close: async () => (await handler)?.close() };
}

/** The metadata of a protected resource (RFC 9728 section 2), with which a client finds where its person signs in. */
function metadataOf({ resource, authorizationServer, apiUrl }: McpListenerOptions) {
  return {
    resource: resource().url,
    resource_name: "Platform MCP server",
    authorization_servers: [authorizationServer()],
    scopes_supported: mcpScopes,
    bearer_methods_supported: ["header"],
    resource_documentation: `${apiUrl()}/docs`,
  };
}

/** Returns the URL of the metadata: the well-known path precedes the path of the resource (RFC 9728 section 3.1). */
function metadataUrl({ resource }: Pick<McpListenerOptions, "resource">): string {
  return new URL(wellKnown + mcpPath, resource().url).href;
}

/**
 * Responds to a request without a valid token (RFC 6750 section 3, RFC 9728 section 5.1). It names the scope to read, so that a client
 * asks its person for no more until a tool needs it.
 */
function challenge(context: Context, options: McpListenerOptions, hasToken: boolean) {
  const error = hasToken ? 'error="invalid_token", ' : "";
  context.header(
    "WWW-Authenticate",
    `Bearer ${error}resource_metadata="${metadataUrl(options)}", scope="${readScope}"`,
  );
  const message = hasToken
    ? "The access token has expired, was revoked, or is not for this server. Get a new one."
    : "Send an access token for this server: Authorization: Bearer <token>.";
  return context.json(jsonRpcError(message), 401);
}

function tokenIn(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(authorization ?? "")?.[1];
}

function failure(context: Context<AccountsEnvironment>, error: RequestError) {
  const { status, whole } = describeFailure(error, context.get("requestId"));
  if (error.waitMs !== undefined) context.header("Retry-After", String(Math.ceil(error.waitMs / 1000)));
  return context.json(jsonRpcError(whole), status);
}

/** Returns the error of a request whose message was not read (JSON-RPC 2.0 section 5). */
function jsonRpcError(message: string) {
  return { jsonrpc: "2.0", error: { code: -32_000, message }, id: null };
}

async function secureHeaders(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  context.header("X-Content-Type-Options", "nosniff");
  if (!context.res.headers.has("Cache-Control")) context.header("Cache-Control", "no-store");
}

function responseOf({ status, contentType, body }: Document): Response {
  return new Response(Buffer.from(body), { status, headers: { "Content-Type": contentType } });
}
