import { jsonDocument } from "@platform-rpc/server";
import { openapiDocuments } from "../gen/openapi-documents.js";
import { type AppDocument, liveDocument } from "../live-document.js";

/** Short, so that browsers load the documents of a new version soon. */
const cacheControl = "public, max-age=300";

/**
 * Creates the documents that describe the public operations: the OpenAPI document of each version of the contract, such as
 * `/openapi.json`.
 *
 * @param publicUrl returns the URL of the public listener as callers see it, with the base path; called for every request.
 * @param openapi the OpenAPI documents by their paths.
 */
export function createApiDocuments(
  publicUrl: () => string,
  openapi = openapiDocuments,
): ReadonlyMap<string, AppDocument> {
  return new Map<string, AppDocument>(
    [...openapi].map(([path, document]) => {
      const withServer = (url: string) => jsonDocument(200, { ...document, servers: [{ url }] }, cacheControl);
      return [path, liveDocument(publicUrl, withServer)] as const;
    }),
  );
}
