import { jsonDocument } from "@platform-rpc/server";
import { openapiDocuments } from "../gen/openapi-documents.js";
import { type AppDocument, liveDocument } from "../live-document.js";
import type { DemoExamples } from "./demo-examples.js";

/** Short, so that browsers load the documents of a new version soon. */
const cacheControl = "public, max-age=300";

/**
 * Creates the documents that describe the public operations: the OpenAPI document of each version of the contract, such as
 * `/openapi.json`.
 *
 * @param publicUrl returns the URL of the public listener as callers see it, with the base path; called for every request.
 * @param openapi the OpenAPI documents by their paths.
 * @param examples the requests of the demo, if it is on.
 */
export function createApiDocuments(
  publicUrl: () => string,
  openapi = openapiDocuments,
  examples?: DemoExamples,
): ReadonlyMap<string, AppDocument> {
  return new Map<string, AppDocument>(
    [...openapi].map(([path, document]) => {
      const withServer = () => {
        const url = publicUrl();
        const shown = examples?.addTo(document, url) ?? document;
        return jsonDocument(200, { ...shown, servers: [{ url }] }, cacheControl);
      };
      return [path, liveDocument(() => `${publicUrl()} ${examples?.read()}`, withServer)] as const;
    }),
  );
}
