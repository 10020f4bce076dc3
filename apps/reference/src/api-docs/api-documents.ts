import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Document, type Documents, jsonDocument } from "@platform-rpc/server";
import { openapiDocuments } from "../gen/openapi-documents.js";
import { liveDocument } from "../live-document.js";
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
export async function createApiDocuments(publicUrl: () => string, openapi = openapiDocuments): Promise<Documents> {
  const script = await readFile(referenceScript());
  const documents = [...openapi.keys()].map((path) => path.slice(1));
  const page = referencePage({ documents, script: "docs/reference.js" });
  return new Map<string, Document | (() => Document)>([
    ...[...openapi].map(([path, document]) => {
      const withServer = (url: string) => jsonDocument(200, { ...document, servers: [{ url }] }, cacheControl);
      return [path, liveDocument(publicUrl, withServer)] as const;
    }),
    ["/docs", page],
    ["/docs/reference.js", { status: 200, contentType: "text/javascript; charset=utf-8", body: script, cacheControl }],
  ]);
}

/** Returns the path of the API reference's script: a self-contained bundle. */
function referenceScript(): string {
  const entry = createRequire(import.meta.url).resolve("@scalar/api-reference");
  return join(dirname(entry), "browser/standalone.js");
}
