import { createHash } from "node:crypto";
import { type Document, jsonDocument } from "@platform-rpc/server";
import server from "@platform-rpc/server/package.json" with { type: "json" };

const apiName = "Platform API";

const apiDescription = "A zero-knowledge vault and agent-token API, defined in Protobuf and served over Connect.";

const pageCacheControl = "public, max-age=300";

const style = `
  body { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; }
  a { color: #0b57d0; }
  @media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #141414; } a { color: #8ab4f8; } }
`;

/** Allows the page's style and nothing else. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Creates the page at the root of the public listener. It is served only to requests that accept HTML. */
export function frontPage(basePath: string, openapiPaths: readonly string[]): Document {
  const openapi = openapiPaths.map((path) => `<a href="${basePath}${path}">OpenAPI document</a>`).join(", ");
  const repository = server.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
  return {
    status: 200,
    contentType: "text/html; charset=utf-8",
    cacheControl: pageCacheControl,
    onlyIfAccepted: true,
    headers: { "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer" },
    body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${apiName}</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>${apiName}</h1>
      <p>${apiDescription} The server never receives plaintext keys or item contents.</p>
      <ul>
        <li><a href="${basePath}/docs">Documentation</a>, and the API as an
          ${openapi}</li>
        <li><a href="${basePath}/readyz">Health</a> of this server</li>
        <li><a href="${repository}#readme">Source and README</a></li>
      </ul>
    </main>
  </body>
</html>
`,
  };
}

interface ApiSummaryOptions {
  /** The URL of the public listener as callers see it, with the base path. */
  readonly publicUrl: string;
  /** The origin of the authorization server. Undefined: there is none. */
  readonly authorizationServer: string | undefined;
  readonly isServed: (path: string) => boolean;
  /** The paths of the OpenAPI documents, such as `/openapi.json`. */
  readonly openapiPaths: readonly string[];
}

/** Creates the document at the root of the public listener for programs: what the API is, and the URLs of what they read next. */
export function apiSummary(options: ApiSummaryOptions): Document {
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
  const served = own.filter(([, path]) => isServed(path)).map(([name, path]) => [name, publicUrl + path] as const);
  const issuer = authorizationServer && {
    authorizationServer: `${authorizationServer}/.well-known/oauth-authorization-server`,
  };
  const links = { ...Object.fromEntries(served), ...issuer, health: `${publicUrl}/readyz` };
  const summary = { name: apiName, description: apiDescription, links };
  return { ...jsonDocument(200, summary, pageCacheControl), headers: { Vary: "Accept" } };
}
