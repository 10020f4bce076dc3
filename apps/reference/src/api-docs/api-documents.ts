import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Document, type Documents, jsonDocument } from "@platform-rpc/server";
import openapi from "../gen/openapi.json" with { type: "json" };
import { liveDocument } from "../live-document.js";
import { referencePage } from "./reference-page.js";

/** As long as a page is looked at: a new version of the app is seen soon. */
const cacheControl = "public, max-age=300";

/**
 * The description of the public operations: `/openapi.json` for programs, and `/docs` for people. Nothing of them comes
 * from anywhere else: the page works without a network.
 *
 * @param publicUrl where callers reach the public listener, base path included; called for every request.
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

/** The bundle of the API reference: one file that needs no other. */
function referenceScript(): string {
  const entry = createRequire(import.meta.url).resolve("@scalar/api-reference");
  return join(dirname(entry), "browser/standalone.js");
}
