import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Document, type Documents, jsonDocument } from "@platform-rpc/server";
import openapi from "../gen/openapi.json" with { type: "json" };
import { liveDocument } from "../live-document.js";
import { referencePage } from "./reference-page.js";

/** Short, so that browsers load the documents of a new version soon. */
const cacheControl = "public, max-age=300";

/**
 * Creates the documents that describe the public operations: `/openapi.json`, and the API reference at `/docs`. All their
 * resources come from this server: the page works offline.
 *
 * @param publicUrl returns the URL of the public listener as callers see it, with the base path; called for every request.
 */
export async function createApiDocuments(publicUrl: () => string): Promise<Documents> {
  const script = await readFile(referenceScript());
  const page = referencePage({ document: "openapi.json", script: "docs/reference.js" });
  return new Map<string, Document | (() => Document)>([
    [
      "/openapi.json",
      liveDocument(publicUrl, (url) => jsonDocument(200, { ...openapi, servers: [{ url }] }, cacheControl)),
    ],
    ["/docs", page],
    ["/docs/reference.js", { status: 200, contentType: "text/javascript; charset=utf-8", body: script, cacheControl }],
  ]);
}

/** Returns the path of the API reference's script: a self-contained bundle. */
function referenceScript(): string {
  const entry = createRequire(import.meta.url).resolve("@scalar/api-reference");
  return join(dirname(entry), "browser/standalone.js");
}
