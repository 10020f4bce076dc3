import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Document, jsonDocument } from "@platform-rpc/server";
import { openapiDocuments } from "../gen/openapi-documents.js";
import { type AppDocument, liveDocument } from "../live-document.js";
import { referencePage } from "./reference-page.js";

/** Short, so that browsers load the documents of a new version soon. */
const cacheControl = "public, max-age=300";

/**
 * Creates the documents that describe the public operations: the OpenAPI document of each version of the contract, such as
 * `/openapi.json`, and the API reference at `/docs`. All their resources come from this server: the page works offline.
 *
 * @param publicUrl returns the URL of the public listener as callers see it, with the base path; called for every request.
 * @param openapi the OpenAPI documents by their paths.
 */
export function createApiDocuments(
  publicUrl: () => string,
  openapi = openapiDocuments,
): ReadonlyMap<string, AppDocument> {
  const documents = [...openapi.keys()].map((path) => path.slice(1));
  const page = referencePage({ documents, script: "docs/reference.js" });
  return new Map<string, AppDocument>([
    ...[...openapi].map(([path, document]) => {
      const withServer = (url: string) => jsonDocument(200, { ...document, servers: [{ url }] }, cacheControl);
      return [path, liveDocument(publicUrl, withServer)] as const;
    }),
    ["/docs", page],
    ["/docs/reference.js", referenceScript()],
  ]);
}

/** Returns the script of the API reference, a self-contained bundle of some megabytes. The first request reads it. */
function referenceScript(): () => Document {
  let script: Document | undefined;
  return () => {
    if (script === undefined) {
      const entry = createRequire(import.meta.url).resolve("@scalar/api-reference");
      const body = readFileSync(join(dirname(entry), "browser/standalone.js"));
      script = { status: 200, contentType: "text/javascript; charset=utf-8", body, cacheControl };
    }
    return script;
  };
}
