import { type Document, jsonDocument } from "@platform-rpc/server";
import { apiDescription, apiName, pageCacheControl } from "./front-page.js";
import { liveDocument } from "./live-document.js";

export interface ApiSummaryOptions {
  /** Returns the URL of the public listener as callers see it, with the base path. */
  readonly publicUrl: () => string;
  /** Returns the origin of the authorization server. Undefined: there is none, or its port is not known yet. */
  readonly authorizationServer: () => string | undefined;
  /** Returns whether the listener has a document at a path. */
  readonly isServed: (path: string) => boolean;
  /** The paths of the OpenAPI documents, such as `/openapi.json`. */
  readonly openapiPaths: readonly string[];
}

/** Creates the document at the root of the public listener for programs: what the API is, and the URLs of what they read next. */
export function apiSummary(options: ApiSummaryOptions): () => Document {
  const { publicUrl, authorizationServer, isServed, openapiPaths } = options;
  const own: readonly (readonly [name: string, path: string])[] = [
    ["documentation", "/docs"],
    ["documentationIndex", "/docs/llms.txt"],
    ["documentationFull", "/docs/llms-full.txt"],
    // "openapi" for /openapi.json, "openapi.v2" for /openapi.v2.json.
    ...openapiPaths.map((path) => [path.replace(/^\/|\.json$/g, ""), path] as const),
    ["jwks", "/.well-known/jwks.json"],
    ["protectedResource", "/.well-known/oauth-protected-resource"],
    ["securityContact", "/.well-known/security.txt"],
  ];
  const summary = () => {
    const url = publicUrl();
    const issuer = authorizationServer();
    const served = own.filter(([, path]) => isServed(path)).map(([name, path]) => [name, url + path] as const);
    const links = {
      ...Object.fromEntries(served),
      ...(issuer !== undefined && { authorizationServer: `${issuer}/.well-known/oauth-authorization-server` }),
      health: `${url}/readyz`,
    };
    return { name: apiName, description: apiDescription, links };
  };
  return liveDocument(
    () => `${publicUrl()} ${authorizationServer() ?? ""}`,
    () => ({ ...jsonDocument(200, summary(), pageCacheControl), headers: { Vary: "Accept" } }),
  );
}
