import { type Context, Hono } from "hono";
import type { AccountsEnvironment } from "../http/environment.js";
import { formOf } from "../http/error-forms.js";
import { noStoreHeaders, OAuthError } from "../http/oauth-error.js";
import { openToPages } from "../http/open-to-pages.js";
import { RequestError } from "../http/request-error.js";
import { createDeviceAuthorizationEndpoint } from "./device-authorization.js";
import type { FindClient } from "./find-client.js";
import { createIntrospectionEndpoint } from "./introspection.js";
import { openidMetadata, serverMetadata } from "./metadata.js";
import type { OAuthParts } from "./oauth-parts.js";
import { createProofReader } from "./proof-reader.js";
import { createPushedAuthorizationEndpoint } from "./pushed-requests.js";
import { createRevocationEndpoint } from "./revocation.js";
import { createTokenEndpoint } from "./token-endpoint.js";

/** Clients may cache the keys and the metadata for 10 minutes: a new key is published an hour before it signs. */
const cacheable = { "Cache-Control": "public, max-age=600" };

/** The request headers that RFC 6750, RFC 9449 and MCP name, and those of this server. */
const headersOfClients = [
  ...["Accept", "Authorization", "Content-Type", "DPoP", "Idempotency-Key"],
  ...["Last-Event-ID", "MCP-Protocol-Version", "Mcp-Session-Id"],
];

/**
 * Creates the endpoints of OAuth. They use no cookies, so pages of any origin may call them, except the introspection of brokers.
 *
 * @see RFC 6749, 7009, 7662, 8414, 8628, 8707, 9126, 9449
 */
export function oauthRoutes(parts: OAuthParts, findClient: FindClient): Hono<AccountsEnvironment> {
  const { platform, brokers } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const readProof = createProofReader(parts);
  const rejectOtherMethods = (path: string, Allow: string) =>
    routes.all(path, () => {
      throw new OAuthError("invalid_request", `Use ${Allow}.`, { status: 405, headers: { Allow } });
    });
  // Clients look for documents with any header. They also look where there is none, and read the error.
  const readable = openToPages();
  for (const path of ["/.well-known/*", "/oauth/jwks", "/register"]) routes.use(path, readable);
  const open = openToPages(headersOfClients);
  routes.use("/oauth/*", (context, next) => (isClosed(context.req.path) ? next() : open(context, next)));
  const document = (path: string, read: () => object) => {
    routes.get(path, (context) => context.json(read(), 200, cacheable));
    rejectOtherMethods(path, "GET");
  };
  document("/.well-known/oauth-authorization-server", () => serverMetadata(parts));
  document("/.well-known/openid-configuration", () => openidMetadata(parts));
  document("/oauth/jwks", () => platform.keyRing.jwks());

  const post = (path: string, handle: (context: Context<AccountsEnvironment>) => Promise<Response>) => {
    routes.post(path, noStore, handle);
    rejectOtherMethods(path, "POST");
  };
  post("/oauth/device_authorization", createDeviceAuthorizationEndpoint(parts, { findClient, readProof }));
  post("/oauth/par", createPushedAuthorizationEndpoint(parts, { findClient, readProof }));
  post("/oauth/token", createTokenEndpoint(parts, readProof));
  post("/oauth/revoke", createRevocationEndpoint(parts));
  if (brokers.size > 0) post("/oauth/introspect", createIntrospectionEndpoint(parts));

  for (const path of ["/oauth/*", "/.well-known/*", "/register"]) {
    routes.all(path, (context, next) => {
      if (formOf(context.req.path) !== "oauth") return next();
      const message = "See the endpoints in /.well-known/oauth-authorization-server.";
      throw new RequestError("NOT_FOUND", { message });
    });
  }
  return routes;
}

/** Returns whether pages of other origins may not call a path: one is a page, which uses cookies, and one is for brokers. */
function isClosed(path: string): boolean {
  return formOf(path) !== "oauth" || path === "/oauth/introspect";
}

async function noStore(context: Context<AccountsEnvironment>, next: () => Promise<void>): Promise<void> {
  for (const [name, value] of Object.entries(noStoreHeaders)) context.header(name, value);
  await next();
}
