import { StorageError } from "@platform-rpc/server";
import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { errorFields } from "../../error-fields.js";
import type { AccountsEnvironment } from "../accounts-environment.js";
import { createDeviceAuthorizationEndpoint } from "./device-authorization.js";
import { createIntrospectionEndpoint } from "./introspection.js";
import { serverMetadata } from "./metadata.js";
import { noStoreHeaders, OAuthError, oauthErrorResponse } from "./oauth-error.js";
import type { OAuthParts } from "./oauth-parts.js";
import { createProofReader } from "./proof-reader.js";
import { createRevocationEndpoint } from "./revocation.js";
import { createTokenEndpoint } from "./token-endpoint.js";

/** Clients may cache the keys and the metadata for 10 minutes: a new key is published an hour before it signs. */
const cacheable = { "Cache-Control": "public, max-age=600" };

/**
 * Creates the endpoints of OAuth. They use no cookies, so pages of any origin may call them, except the introspection of brokers.
 *
 * @see RFC 6749, 7009, 7662, 8414, 8628, 8707, 9449
 */
export function oauthRoutes(parts: OAuthParts): Hono<AccountsEnvironment> {
  const { platform, logger, brokers } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const readProof = createProofReader(parts);
  const open = cors({
    origin: "*",
    allowMethods: ["GET", "POST"],
    allowHeaders: ["Content-Type", "DPoP", "Idempotency-Key"],
    exposeHeaders: ["DPoP-Nonce", "Retry-After", "X-Request-Id"],
    maxAge: 600,
  });
  routes.get("/.well-known/oauth-authorization-server", open, (context) =>
    context.json(serverMetadata(parts), 200, cacheable),
  );
  routes.get("/oauth/jwks", open, (context) => context.json(platform.keyRing.jwks(), 200, cacheable));

  routes.all("/oauth/authorize", () => {
    const description = "This server has no authorization by redirect. Use the device authorization grant.";
    throw new OAuthError("unsupported_response_type", description);
  });

  const post = (path: string, handle: (context: Context<AccountsEnvironment>) => Promise<Response>) => {
    routes.post(path, noStore, handle);
    routes.all(path, () => {
      throw new OAuthError("invalid_request", "Use POST.", { status: 405, headers: { Allow: "POST" } });
    });
  };
  for (const path of ["/oauth/device_authorization", "/oauth/token", "/oauth/revoke"]) routes.use(path, open);
  post("/oauth/device_authorization", createDeviceAuthorizationEndpoint(parts, readProof));
  post("/oauth/token", createTokenEndpoint(parts, readProof));
  post("/oauth/revoke", createRevocationEndpoint(parts));
  if (brokers.size > 0) post("/oauth/introspect", createIntrospectionEndpoint(parts));

  routes.onError((thrown, context) => {
    const error = oauthErrorOf(thrown);
    if (error.code === "server_error") {
      logger.error({ requestId: context.get("requestId"), ...errorFields(thrown) }, "unexpected error");
    }
    return oauthErrorResponse(context, error);
  });
  return routes;
}

async function noStore(context: Context<AccountsEnvironment>, next: () => Promise<void>): Promise<void> {
  for (const [name, value] of Object.entries(noStoreHeaders)) context.header(name, value);
  await next();
}

function oauthErrorOf(thrown: unknown): OAuthError {
  if (thrown instanceof OAuthError) return thrown;
  if (thrown instanceof StorageError) {
    const options = { status: 503, headers: { "Retry-After": "1" } } as const;
    return new OAuthError("temporarily_unavailable", "The server is not available. Retry later.", options);
  }
  return new OAuthError("server_error", "The server failed. Retry later.", { status: 500 });
}
