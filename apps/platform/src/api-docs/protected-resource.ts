import { type Document, jsonDocument } from "@platform-rpc/server";
import { publicOperations, type VaultDetail } from "@platform-rpc/server/host";

const wellKnown = "/.well-known/oauth-protected-resource";

const apiScopes: readonly string[] = [
  ...new Set([...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes)),
].sort();

/** The types of `authorization_details` (RFC 9396). Here, because the metadata must not load what reads them. */
const detailTypes: readonly VaultDetail["type"][] = ["vault"];

interface ProtectedResourceOptions {
  /** The path of the API; empty without a base path. */
  readonly basePath: string;
  /** The URL of the API, with the base path. */
  readonly publicUrl: string;
  /** The origin of the authorization server. */
  readonly authorizationServer: string;
}

/**
 * Creates the metadata of the API as a protected resource: clients find the authorization server with it. The well-known path
 * precedes the path of the API (RFC 9728 section 3.1), which people write with and without a slash at its end. Pages of any origin may
 * read it, because clients in browsers start with it.
 */
export function protectedResource({
  basePath,
  publicUrl,
  authorizationServer,
}: ProtectedResourceOptions): readonly (readonly [string, Document])[] {
  const metadata = {
    resource: publicUrl,
    authorization_servers: [authorizationServer],
    scopes_supported: apiScopes,
    authorization_details_types_supported: detailTypes,
    bearer_methods_supported: ["header"],
    resource_documentation: `${publicUrl}/docs`,
  };
  const document = { ...jsonDocument(200, metadata), anyOrigin: true };
  const paths = [wellKnown, wellKnown + basePath].flatMap((path) => [path, `${path}/`]);
  return [...new Set(paths)].map((path) => [path, document] as const);
}

/** Returns the URL of the metadata. */
export function protectedResourceUrl({
  basePath,
  publicUrl,
}: Pick<ProtectedResourceOptions, "basePath" | "publicUrl">) {
  return new URL(publicUrl).origin + wellKnown + basePath;
}
