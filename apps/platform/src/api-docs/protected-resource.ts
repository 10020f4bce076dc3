import { jsonDocument } from "@platform-rpc/server";
import { publicOperations, type VaultDetail } from "@platform-rpc/server/host";
import { type AppDocument, liveDocument } from "./app-document.js";

const wellKnown = "/.well-known/oauth-protected-resource";

const apiScopes: readonly string[] = [
  ...new Set([...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes)),
].sort();

/** The types of `authorization_details` (RFC 9396). Here, because the metadata must not load what reads them. */
const detailTypes: readonly VaultDetail["type"][] = ["vault"];

export interface ProtectedResourceOptions {
  /** The path of the API; empty without a base path. */
  readonly basePath: string;
  /** Returns the URL of the API, with the base path. */
  readonly publicUrl: () => string;
  /** Returns the origin of the authorization server. Undefined until its port is known. */
  readonly authorizationServer: () => string | undefined;
}

/**
 * Creates the metadata of the API as a protected resource: clients find the authorization server with it. The well-known path
 * precedes the path of the API (RFC 9728 section 3.1), which people write with and without a slash at its end. Pages of any origin may
 * read it, because clients in browsers start with it.
 */
export function protectedResource(options: ProtectedResourceOptions): readonly (readonly [string, AppDocument])[] {
  const { basePath, publicUrl, authorizationServer } = options;
  const document = liveDocument(
    () => `${authorizationServer() ?? ""} ${publicUrl()}`,
    () => {
      const issuer = authorizationServer();
      if (issuer === undefined) return { ...jsonDocument(503, { status: "starting" }), anyOrigin: true };
      const metadata = {
        resource: publicUrl(),
        authorization_servers: [issuer],
        scopes_supported: apiScopes,
        authorization_details_types_supported: detailTypes,
        bearer_methods_supported: ["header"],
        resource_documentation: `${publicUrl()}/docs`,
      };
      return { ...jsonDocument(200, metadata), anyOrigin: true };
    },
  );
  const paths = [wellKnown, wellKnown + basePath].flatMap((path) => [path, `${path}/`]);
  return [...new Set(paths)].map((path) => [path, document] as const);
}

/** Returns the URL of the metadata. Undefined until the origin of the authorization server is known. */
export function protectedResourceUrl(options: ProtectedResourceOptions): string | undefined {
  const { basePath, publicUrl, authorizationServer } = options;
  return authorizationServer() === undefined ? undefined : new URL(publicUrl()).origin + wellKnown + basePath;
}
