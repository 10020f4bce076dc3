import { type Context, Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { AccountsEnvironment } from "../http/environment.js";
import { isOAuthEndpoint, noStoreHeaders, OAuthError } from "../http/oauth-error.js";
import { RequestError } from "../http/request-error.js";
import { createDeviceAuthorizationEndpoint } from "./device-authorization.js";
import type { FindClient } from "./find-client.js";
import { createIntrospectionEndpoint } from "./introspection.js";
import { serverMetadata } from "./metadata.js";
import type { OAuthParts } from "./oauth-parts.js";
import { createProofReader } from "./proof-reader.js";
import { createPushedAuthorizationEndpoint } from "./pushed-requests.js";
import { createRevocationEndpoint } from "./revocation.js";
import { createTokenEndpoint } from "./token-endpoint.js";

/** Clients may cache the keys and the metadata for 10 minutes: a new key is published an hour before it signs. */
const cacheable = { "Cache-Control": "public, max-age=600" };

/**
 * Creates the endpoints of OAuth. They use no cookies, so pages of any origin may call them, except the introspection of brokers.
 *
 * @see RFC 6749, 7009, 7662, 8414, 8628, 8707, 9126, 9449
 */
export function oauthRoutes(parts: OAuthParts, findClient: FindClient): Hono<AccountsEnvironment> {
  const { platform, brokers } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const readProof = createProofReader(parts);
  const open = openToPages({
    allowMethods: ["GET", "POST"],
    allowHeaders: ["Content-Type", "DPoP", "Idempotency-Key"],
    exposeHeaders: ["DPoP-Nonce", "Retry-After", "X-Request-Id"],
  });
  const rejectOtherMethods = (path: string, Allow: string) =>
    routes.all(path, () => {
      throw new OAuthError("invalid_request", `Use ${Allow}.`, { status: 405, headers: { Allow } });
    });
  // Clients may send any header, such as MCP-Protocol-Version.
  const readable = openToPages({ allowMethods: ["GET"], exposeHeaders: ["X-Request-Id"] });
  const document = (path: string, read: () => object) => {
    routes.use(path, readable);
    routes.get(path, (context) => context.json(read(), 200, cacheable));
    rejectOtherMethods(path, "GET");
  };
  document("/.well-known/oauth-authorization-server", () => serverMetadata(parts));
  // Where clients of OpenID Connect look. There are no id tokens.
  document("/.well-known/openid-configuration", () => serverMetadata(parts));
  document("/oauth/jwks", () => platform.keyRing.jwks());

  const post = (path: string, handle: (context: Context<AccountsEnvironment>) => Promise<Response>) => {
    routes.post(path, noStore, handle);
    rejectOtherMethods(path, "POST");
  };
  for (const path of ["/oauth/device_authorization", "/oauth/par", "/oauth/token", "/oauth/revoke"])
    routes.use(path, open);
  post("/oauth/device_authorization", createDeviceAuthorizationEndpoint(parts, { findClient, readProof }));
  post("/oauth/par", createPushedAuthorizationEndpoint(parts, { findClient, readProof }));
  post("/oauth/token", createTokenEndpoint(parts, readProof));
  post("/oauth/revoke", createRevocationEndpoint(parts));
  if (brokers.size > 0) post("/oauth/introspect", createIntrospectionEndpoint(parts));

  routes.all("/oauth/*", (context, next) => {
    if (!isOAuthEndpoint(context.req.path)) return next();
    const message = "See the endpoints in /.well-known/oauth-authorization-server.";
    throw new RequestError("NOT_FOUND", { message });
  });
  return routes;
}

interface OpenToPages {
  readonly allowMethods: string[];
  readonly allowHeaders?: string[];
  readonly exposeHeaders: string[];
}

/** Creates the middleware that lets pages of any origin send requests and read the responses. */
function openToPages(options: OpenToPages): MiddlewareHandler<AccountsEnvironment> {
  const origin = "*";
  const preflight = cors({ ...options, origin, maxAge: 600 });
  const exposed = options.exposeHeaders.join(",");
  return (context, next) => {
    if (context.req.method === "OPTIONS") return preflight(context, next);
    // As `cors` does, which would copy each response.
    context.header("Access-Control-Allow-Origin", origin);
    context.header("Access-Control-Expose-Headers", exposed);
    return next();
  };
}

async function noStore(context: Context<AccountsEnvironment>, next: () => Promise<void>): Promise<void> {
  for (const [name, value] of Object.entries(noStoreHeaders)) context.header(name, value);
  await next();
}
